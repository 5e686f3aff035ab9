import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isClientExecutable, type StoreReference, type System } from '@davit/documents'
import type { ModelFiles } from '@davit/models'
import type { ArchitectureModel, PackageModel } from '@davit/normalization'

type StoreKind = StoreReference['kind']

export interface StoreKindOptions {
  /** Store that the user chose. */
  readonly wanted: StoreKind | undefined
  readonly files: ModelFiles
  /** The coordinator's system. */
  readonly system: System
  /** That of targets that name none. */
  readonly clientInterface: string
}

/**
 * Returns the store for packages: Nix for those in the Nix language and for client executables, the native one for all others; refuses
 * a mixture.
 */
export function storeKindFor(model: ArchitectureModel, options: StoreKindOptions): StoreKind {
  const { wanted, clientInterface } = options
  if (wanted === 'nix') return 'nix'
  const [client] = clientTargets(model, clientInterface)
  if (client === undefined) return kindOfPackages(model, options)
  if (wanted === 'native') throw nixForClient(client)
  return 'nix'
}

/** Returns the names of targets behind client executables, which carry packages of the Nix store only. */
function clientTargets({ infrastructure }: ArchitectureModel, clientInterface: string): readonly string[] {
  return [...infrastructure].flatMap(([name, target]) =>
    isClientExecutable(target.clientInterface ?? clientInterface) ? [name] : [],
  )
}

function kindOfPackages(model: ArchitectureModel, { wanted, files, system }: StoreKindOptions): StoreKind {
  const owners = packageOwners(model, system)
  if (wanted === 'native') {
    if (owners.nix.length > 0) throw nixNeeded(owners.nix)
    return 'native'
  }
  const kinds = (['nix', 'native'] as const).filter((kind) => owners[kind].length > 0)
  if (kinds.length > 1) throw mixedStores(owners)
  return kinds[0] ?? (isNixFile(mainFileOf(files)) ? 'nix' : 'native')
}

type PackageOwners = Readonly<Record<StoreKind, readonly string[]>>

/** Owners of packages, such as `service 'web'`, by the store that their packages need. */
function packageOwners({ services, infrastructure, targetPackages }: ArchitectureModel, coordinator: System) {
  const owners = { nix: [] as string[], native: [] as string[] }
  const add = (models: readonly PackageModel[], owner: string) => {
    for (const kind of new Set(models.map((model) => (model.kind === 'expression' ? 'nix' : 'native')))) {
      owners[kind].push(owner)
    }
  }
  const systems = new Map<string, System>(
    [...infrastructure].map(([name, target]) => [name, target.system ?? coordinator]),
  )
  for (const [name, service] of services) {
    const wanted = new Set(service.targets?.flatMap(({ target }) => systems.get(target) ?? []))
    add(
      [...wanted].map((system) => service.packageFor(system)),
      `service '${name}'`,
    )
  }
  for (const [name, models] of targetPackages) add(models, `target '${name}'`)
  return owners satisfies PackageOwners
}

/** File whose language decides if there are no packages. */
function mainFileOf({ architecture, infrastructure }: ModelFiles): string {
  return architecture ?? infrastructure ?? ''
}

function isNixFile(file: string): boolean {
  return file.endsWith('.nix')
}

function nixForClient(target: string): DavitError {
  return new DavitError(
    'unsupported-interface',
    `target '${target}' is reached through a client executable, which can only carry packages of the Nix store`,
    { exitStatus: ExitStatus.usage, hint: 'use --store nix' },
  )
}

function nixNeeded(owners: readonly string[]): DavitError {
  return new DavitError(
    'wrong-store',
    `the native store cannot build packages in the Nix language: those of ${listed(owners)}`,
    {
      exitStatus: ExitStatus.badDocument,
      hint: 'leave out --store native, or describe these packages as sources or builds',
    },
  )
}

function mixedStores({ nix, native }: PackageOwners): DavitError {
  return new DavitError(
    'mixed-stores',
    `a deployment has one store, but packages of ${listed(nix)} are in the Nix language, and those of ${listed(native)} are not`,
    {
      exitStatus: ExitStatus.badDocument,
      hint: 'use --store nix, so that Nix builds all of them, or write all packages in one way',
    },
  )
}

const MAX_LISTED = 3

function listed(owners: readonly string[]): string {
  const more = owners.length - MAX_LISTED
  return `${owners.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
