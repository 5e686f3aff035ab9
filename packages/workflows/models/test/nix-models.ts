import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture, PackageSpec, StorePath } from '@davit/documents'
import { evaluate } from '@davit/nix'
import { type ArchitectureModel, architectureOf, normalizeModel } from '@davit/normalization'
import type { Environment } from '@davit/process'
import { loadArchitecture, type ModelFiles } from '../src/models.ts'
import type { LoadOptions } from '../src/load-architecture.ts'
import { linux, modelsIn } from './models-in.ts'

export { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'

export type Options = Partial<LoadOptions> & { readonly environment: Environment }

/** Loads models of a directory by the names of their files: `services.nix`, `infrastructure-2.yaml`, … */
export function loadNixIn(directory: string, names: readonly string[], options: Options): Promise<ArchitectureModel> {
  const files = Object.fromEntries(names.map((name) => [name.split(/[.-]/)[0], join(directory, name)]))
  return loadArchitecture(files as ModelFiles, { system: linux, ...options })
}

export async function loadNix(files: Readonly<Record<string, string>>, options: Options): Promise<ArchitectureModel> {
  const names = Object.keys(files).filter((name) =>
    /^(?:services|infrastructure|distribution|packages|architecture)\./.test(name),
  )
  return loadNixIn(modelsIn(files), names, options)
}

const NORMALIZATION = {
  clientInterface: 'disnix-ssh-client',
  targetProperty: 'hostname',
  deployState: false,
  system: linux,
  store: { kind: 'nix', directory: '/nix/store' },
} as const

/** Returns the normalized architecture with the packages that Nix instantiates. */
export async function architectureFrom(
  model: ArchitectureModel,
  { environment, report }: Options,
): Promise<Architecture> {
  const normalized = normalizeModel(model, NORMALIZATION)
  const specs = normalized.packageRequests.map(({ spec }) => expression(spec))
  const programs = new Set(specs.map(({ program }) => program))
  const [program, ...others] = programs
  if (others.length > 0) throw new Error(`${programs.size} programs for the packages of one run`)
  if (program === undefined) return architectureOf(normalized, [])
  const selections = specs.map(({ selection }) => selection)
  const result = await evaluate({
    program: { ...program, input: { ...program.input, selections } },
    store: 'read-write',
    environment,
    ...(report === undefined ? {} : { report }),
  })
  const { packages } = result as {
    readonly packages: readonly { readonly out: StorePath; readonly drv: StorePath | null }[]
  }
  return architectureOf(
    normalized,
    packages.map(({ out, drv }) => (drv === null ? { outPath: out } : { outPath: out, derivation: drv })),
  )
}

function expression(spec: PackageSpec): Extract<PackageSpec, { kind: 'expression' }> {
  if (spec.kind !== 'expression') throw new Error(`a package of kind '${spec.kind}'`)
  return spec
}

/** Runs work with an environment in which the evaluations of Nix are counted. */
export async function countEvaluations(
  environment: Environment,
  work: (counting: Environment) => Promise<unknown>,
): Promise<number> {
  const bin = modelsIn({ count: '' })
  const program = `#!/bin/sh\necho x >> '${bin}/count'\nPATH=\${PATH#*:} exec nix-instantiate "$@"\n`
  writeFileSync(join(bin, 'nix-instantiate'), program, { mode: 0o755 })
  await work({ ...environment, PATH: `${bin}:${environment['PATH']}` })
  return readFileSync(join(bin, 'count'), 'utf8').split('\n').length - 1
}
