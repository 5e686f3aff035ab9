import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { refuseForeign } from './refuse-foreign.ts'
import { removeTree } from './remove-tree.ts'
import { reasonOf } from './system-error.ts'

/**
 * Calls a function with a fresh directory below TMPDIR that only this user can enter, and removes it afterwards. The variable is that
 * of the given environment, since several tools with different ones may share a process.
 */
export async function withTemporaryDirectory<Result>(
  { TMPDIR: place }: { readonly TMPDIR?: string },
  use: (directory: string) => Promise<Result>,
  prefix = 'davit-',
): Promise<Result> {
  const directory = await makeDirectoryIn(place || tmpdir(), prefix)
  try {
    return await use(directory)
  } finally {
    removeTree(directory)
  }
}

async function makeDirectoryIn(parent: string, prefix: string): Promise<string> {
  refuseForeign(parent)
  try {
    return await mkdtemp(join(await realpath(parent), prefix))
  } catch (cause) {
    throw new DavitError('cannot-create', `cannot create a directory in '${parent}': ${reasonOf(cause)}`, {
      exitStatus: ExitStatus.cannotCreate,
      hint: 'check its permissions and the space left, or set TMPDIR to another directory',
      cause,
    })
  }
}
