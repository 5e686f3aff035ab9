import type { Stats } from 'node:fs'
import { chmod, lstat, mkdtemp, readdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { foreignStep, reasonOf, refuseForeign, removeTree } from '@davit/files'
import {
  encodeProcessReference,
  type Environment,
  isProcessGone,
  parseProcessReference,
  processReference,
} from '@davit/process'

/** Directory of a socket, which only this user can enter. */
export interface Place {
  readonly directory: string
  remove(): void
}

/** Longest path of a unix socket: `sun_path` has 108 bytes, the last of which is zero. */
const MAX_PATH = 107

const PREFIX = 'davit-connect.'

/** Makes a directory for a socket, and removes those that killed processes of this user have left. */
export async function makePlace(environment: Environment): Promise<Place> {
  const { TMPDIR: chosen = '' } = environment
  const places = [...new Set([...(isAbsolute(chosen) ? [chosen] : []), '/tmp'])]
  // Who could lead a place elsewhere would get the socket, or have something else removed.
  const parents = places.filter((place) => foreignStep(place) === undefined)
  await Promise.all(parents.map(sweep))
  if (parents.length === 0) refuseForeign('/tmp')
  const failures: unknown[] = []
  for (const parent of parents) {
    const template = join(parent, `${PREFIX}${encodeProcessReference(processReference())}.`)
    if (Buffer.byteLength(template) + 'XXXXXX/socket'.length > MAX_PATH) continue
    try {
      const directory = await mkdtemp(template)
      await chmod(directory, 0o700)
      return { directory, remove: () => removeTree(directory) }
    } catch (error) {
      failures.push(error)
    }
  }
  const [cause] = failures
  throw new DavitError(
    'cannot-create',
    `cannot create a directory in '${parents.join("' or '")}': ${reasonOf(cause)}`,
    {
      exitStatus: ExitStatus.cannotCreate,
      hint: 'check its permissions and the space left, or set TMPDIR to another directory',
      cause,
    },
  )
}

/** Removes what processes of this user have left that are certainly gone. */
async function sweep(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const [, process = ''] = /^davit-connect\.([\d.]+)\.\w{6}$/.exec(name) ?? []
    const owner = parseProcessReference(process)
    if (owner === undefined || !isProcessGone(owner) || !(await isPrivate(join(parent, name)))) continue
    try {
      removeTree(join(parent, name))
    } catch {
      // It harms nobody.
    }
  }
}

/** Returns why the socket of a holder must not be trusted, if so; nothing if it is missing. */
export async function whyForeign(socket: string): Promise<string | undefined> {
  if (!isAbsolute(socket)) return 'its path is not absolute'
  const directory = dirname(socket)
  const found = await lstat(directory).catch(() => undefined)
  return found === undefined ? undefined : ((await whyOpen(directory, found)) ?? whyNoSocket(socket))
}

async function whyOpen(directory: string, { uid }: Stats): Promise<string | undefined> {
  if (uid !== userInfo().uid) return `'${directory}' belongs to another user`
  if (!(await isPrivate(directory))) return `others may enter '${directory}'`
  const step = foreignStep(directory)
  return step === undefined ? undefined : `others could lead '${step.path}' elsewhere`
}

async function whyNoSocket(socket: string): Promise<string | undefined> {
  const found = await lstat(socket).catch(() => undefined)
  return found === undefined || found.isSocket() ? undefined : 'it is not a socket'
}

/** Whether a directory belongs to this user, who alone can enter it. */
async function isPrivate(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined)
  return found !== undefined && found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o077) === 0
}
