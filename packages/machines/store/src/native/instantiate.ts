import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import type { BuildSpec, InstantiatedPackage, PackageRequest, PackageSpec, StorePath, System } from '@davit/documents'
import { badPackages, problemOf } from '../package-problems.ts'
import { collectSources, type Sources } from './add-source.ts'
import { derivationOf } from './derivation-of.ts'
import { type Derivation, outputPathOf } from './derivation.ts'
import { derivationWriter, type DerivationWriter } from './derivation-writer.ts'
import { markFetched } from './fetched-builds.ts'
import { protect } from './roots.ts'
import type { StoreContext } from './store-context.ts'
import { withWorkspace } from './workspace.ts'

/** Copies sources and writes derivations, each once however many packages share it; builds nothing. */
export async function instantiate(
  context: StoreContext,
  requests: readonly PackageRequest[],
): Promise<readonly InstantiatedPackage[]> {
  await context.prepare()
  const inWorkspace = async (workspace: string) => {
    const session = startSession(context, workspace)
    const packages: InstantiatedPackage[] = []
    const problems: Diagnostic[] = []
    for (const request of requests) {
      try {
        packages.push(await instantiateSpec(session, request.spec, request.system))
      } catch (error) {
        problems.push(problemOf(request, error))
      }
    }
    if (problems.length > 0) throw badPackages(problems)
    await context.commit(session.sources.staged())
    session.derivations.write()
    markFetched(context, session.fetched)
    await protect(context, protectedPaths(packages))
    return packages
  }
  return context.undisturbed(() => withWorkspace(context.layout, inWorkspace))
}

interface Session {
  readonly context: StoreContext
  readonly sources: Sources
  readonly derivations: DerivationWriter
  /** Whether derivations come from fetched stacks. */
  readonly fetched: Map<StorePath, boolean>
  readonly known: Map<System, Map<PackageSpec, Promise<InstantiatedPackage>>>
}

function startSession(context: StoreContext, workspace: string): Session {
  return {
    context,
    sources: collectSources(context, workspace),
    derivations: derivationWriter(context, workspace),
    fetched: new Map(),
    known: new Map(),
  }
}

function instantiateSpec(session: Session, spec: PackageSpec, system: System): Promise<InstantiatedPackage> {
  const known = session.known.get(system) ?? new Map<PackageSpec, Promise<InstantiatedPackage>>()
  session.known.set(system, known)
  const instantiated = known.get(spec) ?? instantiateNew(session, spec, system)
  known.set(spec, instantiated)
  return instantiated
}

async function instantiateNew(session: Session, spec: PackageSpec, system: System): Promise<InstantiatedPackage> {
  switch (spec.kind) {
    case 'source':
      return { outPath: await session.sources.add(spec.path, spec) }
    case 'present':
      return { outPath: session.context.registry.get(spec.path).path }
    case 'expression':
      throw new DavitError('wrong-store', 'its package is written in the Nix language, which needs the Nix store', {
        exitStatus: ExitStatus.badDocument,
        hint: 'leave out --store native, or describe the package as a source or a build',
      })
    case 'build':
      return instantiateBuild(session, spec, system)
  }
}

async function instantiateBuild(session: Session, spec: BuildSpec, system: System): Promise<InstantiatedPackage> {
  const { layout } = session.context
  const { sizeLimitBytes } = spec
  const derivation = await derivationOf(spec, {
    system,
    source: (path) => session.sources.add(path, sizeLimitBytes === undefined ? {} : { sizeLimitBytes }),
    input: (input) => instantiateSpec(session, input, system),
  })
  const outPath = outputPathOf(layout.directory, derivation)
  const path = session.derivations.add(derivation)
  session.fetched.set(
    path,
    spec.isFetched === true || session.fetched.get(path) === true || usesFetched(session, derivation),
  )
  return { outPath, derivation: path }
}

/** Whether an input comes from a fetched stack, whose programs the build would run. */
function usesFetched({ fetched }: Session, { inputs }: Derivation): boolean {
  return [...inputs.values()].some(({ derivation }) => derivation !== undefined && fetched.get(derivation) === true)
}

/** Paths to protect; a derivation protects what it is built from. */
function protectedPaths(packages: readonly InstantiatedPackage[]): readonly StorePath[] {
  return [...new Set(packages.map(({ derivation, outPath }) => derivation ?? outPath))]
}
