import { accessSync, constants, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { BuildSpec, PackageSpec, System } from '@davit/documents'
import type { PlainBuild, PlainPackage } from '@davit/nix'
import type { Environment } from '@davit/process'
import { STANDARD_PATH } from '../build-path.ts'
import { checkBuild } from '../check-build.ts'
import { checkPackageName, packageNameFor } from '../package-name.ts'
import { sizeLimitIn } from '../size-limit.ts'
import { sourceError } from '../source-error.ts'
import { checkSourceSize } from '../source-size.ts'

export interface PlainPackages {
  /** Adds a package once, after everything that it uses, and returns its index in the list. */
  add(spec: PackageSpec, system: System): number
  list(): readonly PlainPackage[]
}

/** Collects packages of models in other languages than Nix, as data for a program in Nix. */
export function plainPackages(environment: Environment): PlainPackages {
  const list: PlainPackage[] = []
  const known = new Map<System, Map<PackageSpec | string, number>>()
  const add = (spec: PackageSpec, system: System): number => {
    const indexes = known.get(system) ?? new Map<PackageSpec | string, number>()
    known.set(system, indexes)
    const key = spec.kind === 'source' ? JSON.stringify([spec.path, spec.name, spec.sizeLimitBytes]) : spec
    const index = indexes.get(key) ?? list.push(plainPackage(spec, system, { environment, add })) - 1
    indexes.set(key, index)
    return index
  }
  return { add, list: () => list }
}

interface Adding extends Pick<PlainPackages, 'add'> {
  readonly environment: Environment
}

function plainPackage(spec: PackageSpec, system: System, adding: Adding): PlainPackage {
  switch (spec.kind) {
    case 'source':
      return sourceOf(spec, adding.environment)
    case 'present':
      return spec
    case 'build':
      return buildOf(spec, system, adding)
    case 'expression':
      throw new DavitError(
        'bad-input',
        'a package in the Nix language cannot be the input of one in another language',
        {
          exitStatus: ExitStatus.badDocument,
          hint: 'describe both in the Nix language',
        },
      )
  }
}

type SourceSpec = PackageSpec & { readonly kind: 'source' }

function sourceOf(
  { path, name = packageNameFor(basename(path)).replace(/^\./, '_.'), sizeLimitBytes }: SourceSpec,
  environment: Environment,
): PlainPackage {
  checkPackageName(name)
  checkStart(name)
  try {
    const origin = realpathSync(path)
    accessSync(origin, constants.R_OK)
    checkSourceSize(path, origin, sizeLimitIn(environment, sizeLimitBytes))
    return { kind: 'source', path: origin, name }
  } catch (cause) {
    throw sourceError(path, cause)
  }
}

function buildOf(spec: BuildSpec, system: System, { add }: Adding): PlainBuild {
  checkBuild(spec)
  checkStart(spec.name)
  if (spec.network) throw networkRefused(spec.name)
  const limit = spec.sizeLimitBytes === undefined ? {} : { sizeLimitBytes: spec.sizeLimitBytes }
  const sources = [...spec.sources].map(([variable, path]): [string, number] => {
    return [variable, add({ kind: 'source', path, ...limit }, system)]
  })
  const inputs = [...spec.inputs].map(([variable, input]): [string, number] => [variable, add(input, system)])
  return {
    kind: 'build',
    name: spec.name,
    system,
    script: spec.script,
    variables: new Map<string, string | number>([...spec.env, ...sources, ...inputs]),
    path: inputs.map(([, index]) => index),
    standardPath: STANDARD_PATH,
    ...(spec.parameters === undefined ? {} : { parameters: spec.parameters }),
  }
}

function checkStart(name: string): void {
  if (!name.startsWith('.')) return
  throw new DavitError('bad-package-name', `'${name}' is not a valid package name in a Nix store`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'choose a name that does not begin with a dot',
  })
}

function networkRefused(name: string): DavitError {
  return new DavitError('no-network', `'${name}' requests the network, which builds in a Nix store do not have`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'fetch what it needs with a fixed-output derivation in the Nix language, or use --store native',
  })
}
