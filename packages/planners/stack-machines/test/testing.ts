import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerName, Manifest } from '@davit/documents'
import type { TargetModel } from '@davit/normalization'
import type { CompiledStack, CompileOutcome, Emission } from '@davit/stack'
import { type CompileSetup, compileTexts, type Texts } from '@davit/stack/testing'
import { scratchDirectory } from '@davit/testing/scratch'
import { architectureOfStack } from '../src/stack-machines.ts'

export type Targets = ReadonlyMap<string, TargetModel>

/** Targets with a host name each, and these containers. */
export function targetsNamed(
  names: readonly string[],
  containers: readonly string[] = ['process', 'fileset', 'echo'],
): Targets {
  return new Map(names.map((name) => [name, targetWith({ hostname: `${name}.example` }, containers)]))
}

export function targetWith(properties: Readonly<Record<string, string>>, containers: readonly string[]): TargetModel {
  return {
    properties: new Map(Object.entries(properties)),
    containers: new Map(containers.map((name) => [name as ContainerName, new Map()])),
  }
}

export interface BuildModel {
  readonly script: string
  readonly inputs?: Readonly<
    Record<string, { readonly source?: string; readonly name?: string; readonly build?: object }>
  >
}

export interface ServiceModel {
  readonly type: string
  readonly targets: readonly string[]
  readonly dependsOn: Readonly<Record<string, string>>
  readonly activatesAfter: readonly string[]
  readonly pkg: { readonly source?: string; readonly build?: BuildModel }
  readonly [attribute: string]: unknown
}

export type Services = Readonly<Record<string, ServiceModel>>

export function compiled(outcome: CompileOutcome): CompiledStack {
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.findings))
  return outcome.stack
}

export function servicesIn(emission: Emission): Services {
  if (emission.kind === 'refused') throw new Error(JSON.stringify(emission.findings))
  return (JSON.parse(emission.text) as { readonly services: Services }).services
}

export interface PlaceSetup extends CompileSetup {
  readonly targets?: Targets
  readonly deployed?: Manifest
}

/** Compiles texts and places them. */
export function emissionOf(texts: Texts, setup: PlaceSetup = {}): Emission {
  const { targets = targetsNamed(['one', 'two']), deployed } = setup
  return architectureOfStack(compiled(compileTexts(texts, setup)), { targets, deployed })
}

/** A stack of these public services, each as a line of YAML. */
export function stackOf(services: Readonly<Record<string, string>>, name = 'shop'): Texts {
  const lines = Object.entries(services).map(([key, value]) => `    ${key}: { ${value} }`)
  return { 'Mu.yaml': `name: ${name}\nservices:\n  public:\n${lines.join('\n')}\n` }
}

export function codesOf(emission: Emission): readonly (readonly unknown[])[] {
  return emission.findings.map(({ code, subjects }) => [code, ...subjects])
}

/**
 * Builds a package as the store does, on a package of these programs; returns its directory. Programs of the library are where they
 * are.
 */
export function built(
  { script, inputs = {} }: BuildModel,
  programs: Readonly<Record<string, string>> | undefined,
): string {
  const directory = scratchDirectory()
  const [out, source] = [join(directory, 'out'), join(directory, 'package')]
  for (const [name, text] of Object.entries(programs ?? {})) {
    mkdirSync(join(source, 'bin'), { recursive: true })
    writeFileSync(join(source, 'bin', name), text, { mode: 0o755 })
  }
  writeFileSync(join(directory, 'script'), script)
  const { program } = inputs
  const variables = {
    ...(programs === undefined ? {} : { package: source }),
    ...(program?.source === undefined ? {} : { program: program.source }),
  }
  const { status, stderr } = run(['/bin/sh', '-eu', join(directory, 'script')], { out, ...variables })
  if (status !== 0) throw new Error(stderr)
  return out
}

export function run([program = '', ...words]: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return spawnSync(program, words, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', ...variables } })
}
