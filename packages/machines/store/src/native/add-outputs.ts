import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { unpackArchive } from '@davit/files'
import { alteredElsewhere } from './alterations.ts'
import { directInputs } from './build-output.ts'
import { closureOf } from './closure.ts'
import { outputPathOf } from './derivation.ts'
import { readDerivation } from './derivation-writer.ts'
import { describeOutput } from './describe-output.ts'
import { pathExists } from './path-exists.ts'
import type { Registration } from './registration.ts'
import type { StoreContext } from './store-context.ts'
import { withStoreLock } from './store-lock.ts'
import { withWorkspace } from './workspace.ts'

export interface BuiltElsewhere {
  readonly derivations: readonly StorePath[]
  /** One tar stream, of unknown origin, of all their outputs, named relative to the store directory. */
  readonly archive: Readable
  /** Content hashes of the outputs that were registered there. */
  readonly contents?: ReadonlyMap<StorePath, string>
  readonly signal: AbortSignal
}

/** Limits of an archive of unknown origin. */
export const MAX_ARCHIVE = { maxEntries: 1_000_000, maxBytes: 2 ** 40 }

/** Makes outputs valid that another machine has built, and returns the registrations for that machine. Adds none if the archive fails. */
export async function addOutputs(context: StoreContext, built: BuiltElsewhere): Promise<readonly Registration[]> {
  const { archive, contents, signal } = built
  await context.prepare()
  return withWorkspace(context.layout, async (workspace) => {
    const directory = join(workspace, 'outputs')
    await unpackArchive(archive, directory, MAX_ARCHIVE).catch(asStoreError)
    const registrations: Registration[] = []
    for (const derivationPath of built.derivations) {
      registrations.push(await addOutput(context, { derivationPath, directory, contents, signal }))
    }
    return registrations
  })
}

/** Reports a failure to write as an error of the store instead of the archive. */
export function asStoreError(error: unknown): never {
  throw hasCode(error, 'cannot-unpack') ? error.cause : error
}

interface UnpackedOutput {
  readonly derivationPath: StorePath
  readonly directory: string
  readonly contents: ReadonlyMap<StorePath, string> | undefined
  readonly signal: AbortSignal
}

/** Makes one output valid. One that has since become valid here is kept, since that of the other machine may differ. */
async function addOutput(context: StoreContext, unpacked: UnpackedOutput): Promise<Registration> {
  const { layout, environment, registry, commit } = context
  const { derivationPath, directory, contents, signal } = unpacked
  const derivation = readDerivation(context, derivationPath)
  const output = outputPathOf(layout.directory, derivation)
  const tree = join(directory, basename(output))
  if (!pathExists(tree)) throw missingInArchive(output)
  const inputs = closureOf(registry, directInputs(derivation))
  const registration = await describeOutput({ tree, output, derivationPath, derivation, inputs })
  const { contentHash } = registration
  if ((contents?.get(output) ?? contentHash) !== contentHash) throw alteredElsewhere(output)
  signal.throwIfAborted()
  await withStoreLock(basename(output), { layout, environment, signal }, async () => {
    if (registry.find(output) === undefined) await commit([{ tree, registration }])
  })
  return registration
}

export function missingInArchive(path: StorePath): DavitError {
  return new DavitError('bad-archive', `the archive lacks '${basename(path)}'`, { exitStatus: ExitStatus.badDocument })
}
