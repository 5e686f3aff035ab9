import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { isDenied, packArchive, systemErrorCode, whyNotWritten } from '@davit/files'
import type { Isolation } from '@davit/isolation'
import type { Environment } from '@davit/process'
import { addCopies } from './add-copies.ts'
import { addOutputs } from './add-outputs.ts'
import { addModule, addProfiles } from './add-package.ts'
import { contentGuard, refuseAltered } from './alterations.ts'
import { closureOf } from './closure.ts'
import { currentSystem } from '../current-system.ts'
import { instantiate } from './instantiate.ts'
import { timeOfContent } from './package-times.ts'
import { realise } from './realise.ts'
import { encodeRegistration, type Registration } from './registration.ts'
import { remoteBuild } from './remote-build.ts'
import { addRoot, hasRoot, protect, removeRoot } from './roots.ts'
import { type StoreContext, storeContext } from './store-context.ts'
import { storeDirectoryOf } from '../store-directory.ts'
import type { NativeStore } from '../store-interface.ts'
import { outputsOf, unbuilt } from './unbuilt.ts'

export interface NativeStoreOptions {
  readonly directory: string
  /** Its PATH locates programs; DAVIT_SYSTEM is the platform. */
  readonly environment: Environment
  /** Isolation to use instead of the best that this machine allows. */
  readonly isolation?: Isolation
  /** Whether builds from fetched stacks may run where they are not isolated. */
  readonly trustsBuilds?: boolean | undefined
}

/** Opens a store that needs nothing installed; writes nothing before its first operation. */
export async function openNativeStore(options: NativeStoreOptions): Promise<NativeStore> {
  const directory = storeDirectoryOf(options.directory)
  const context = storeContext({ ...options, directory, system: currentSystem(options.environment) })
  const { registry } = context
  const guarded = <Result>(use: () => Promise<Result>): Promise<Result> => withStoreErrors(directory, use)
  return {
    kind: 'native',
    reference: { kind: 'native', directory },
    instantiate: (requests) => guarded(() => instantiate(context, requests)),
    realise: (packages, realiseOptions) => guarded(() => realise(context, packages, realiseOptions)),
    closure: (paths) => guarded(async () => closureOf(registry, paths)),
    registrations: (paths) => guarded(async () => paths.map((path) => registry.get(path))),
    invalidPaths: (paths) => guarded(async () => paths.filter((path) => registry.find(path) === undefined)),
    refuseAltered: (paths) =>
      guarded(() =>
        refuseAltered(
          context,
          paths.map((path) => registry.get(path)),
        ),
      ),
    export: (paths) => exportPaths(context, paths),
    buildPaths: () => context.buildPaths(),
    remoteBuild: (derivation, machine) => guarded(async () => remoteBuild(context, derivation, machine)),
    addOutputs: (built) => guarded(() => addOutputs(context, built)),
    addCopies: (copies) => guarded(() => addCopies(context, copies)),
    addModule: (type, module) => guarded(() => addModule(context, type, module)),
    addProfiles: (profiles) => guarded(() => addProfiles(context, profiles)),
    addRoot: (name, paths) => guarded(() => addRoot(context, name, paths)),
    hasRoot: (name, paths) => guarded(async () => hasRoot(context, name, paths)),
    removeRoot: (name) => guarded(() => removeRoot(context, name)),
    protect: (paths) => guarded(() => protect(context, paths)),
    unbuilt: (packages) => guarded(async () => unbuilt(context, packages)),
    outputs: (derivations) => guarded(async () => outputsOf(context, derivations)),
  }
}

function exportPaths(context: StoreContext, paths: readonly StorePath[]): Readable {
  try {
    const registrations = paths.map((path) => context.registry.get(path))
    const timeOf = ({ contentHash }: Registration) => new Date(timeOfContent(contentHash) * 1000)
    const records = registrations.map((registration) => ({
      name: `records/${basename(registration.path)}.json`,
      text: encodeRegistration(registration),
      time: timeOf(registration),
    }))
    const trees = registrations.map((registration) => ({
      name: `paths/${basename(registration.path)}`,
      tree: registration.path,
      time: timeOf(registration),
      visitor: contentGuard(context, registration),
    }))
    return packArchive([...records, ...trees])
  } catch (error) {
    const failed = new Readable({ read() {} })
    return failed.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Turns a failed system call into an error about the store directory, its permissions, or the space left. */
async function withStoreErrors<Result>(directory: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (cause) {
    const isNotMade = hasCode(cause, 'cannot-create')
    if (!isNotMade && systemErrorCode(cause) === undefined) throw cause
    throw storeError(directory, cause)
  }
}

function storeError(directory: string, cause: unknown): DavitError {
  const { path = directory } = cause as NodeJS.ErrnoException
  const { reason, hint } = isOfOther(directory, path, cause)
    ? { reason: 'only its owner may write to it', hint: 'run this as the owner of the store' }
    : whyNotWritten(path, cause)
  const detail = cause instanceof DavitError || !(cause instanceof Error) ? '' : ` (${cause.message})`
  return new DavitError('cannot-use-store', `cannot use the store '${directory}': ${reason}${detail}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: `${hint}; or name another store with DAVIT_STORE_DIR`,
    cause,
  })
}

/** Whether this account may not write something inside of a store that exists, which then belongs to another one. */
function isOfOther(directory: string, path: string, cause: unknown): boolean {
  return isDenied(cause) && path.startsWith(`${directory}/`)
}
