import type { Readable, Writable } from 'node:stream'
import type { StorePath } from '@davit/documents'
import type { PathInfo } from './path-info.ts'
import { notANixStore, tooOld } from './serve-errors.ts'
import { addRequest, readClosure, readPathInfos, readValidPaths } from './serve-messages.ts'
import { openServeSession, type ServeSession } from './serve-session.ts'

/** The two ends of a running `nix-store --serve --write`. */
export interface ServeChannel {
  readonly stdin: Writable
  readonly stdout: Readable
  /** What the store said on standard error, asked for when it has ended too early. */
  lastWords?(): Promise<string>
}

/**
 * Speaks the serve protocol of Nix, version 2.5 or later, with a store on this or another machine. Requests are sent at once
 * and answered in their order; after an error, or a dump that was not read to its end, none is answered any more.
 */
export interface ServeClient {
  /** Which of these are valid. */
  validPaths(paths: readonly StorePath[], options?: ValidPathsOptions): Promise<ReadonlySet<StorePath>>
  /** Of those that are valid, in no particular order. */
  pathInfos(paths: readonly StorePath[]): Promise<readonly PathInfo[]>
  /** Of valid paths, in no particular order. */
  closure(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /** The archive of a valid path, whose size is known. It is asked for at once, and has to be read. */
  dump(info: Pick<PathInfo, 'path' | 'narSize'>): AsyncIterable<Uint8Array>
  /** Makes a path valid whose references are; its archive is checked against hash and size by the store. */
  add(info: PathInfo, archive: AsyncIterable<Uint8Array>): Promise<void>
  /** The store ends by itself when its input ends; what has not been answered fails. */
  close(): void
}

export interface ValidPathsOptions {
  /** Whether the store first fetches from its caches what it can. */
  readonly substitute?: boolean
  /** Whether none of these is collected while this client lives. */
  readonly keep?: boolean
}

const CLIENT_MAGIC = 0x39_0c_9d_eb
const SERVER_MAGIC = 0x54_52_ee_cb
/** 2.5, since when paths can be added one by one. */
const VERSION = 0x2_05

const Command = { validPaths: 1, pathInfos: 2, dump: 3, closure: 7, add: 9 } as const

export async function openServe(channel: ServeChannel): Promise<ServeClient> {
  const session = openServeSession(channel)
  await session.ask([CLIENT_MAGIC, VERSION], async (reader) => {
    if ((await reader.number()) !== SERVER_MAGIC) throw notANixStore()
    const version = await reader.number()
    if (version >> 8 !== VERSION >> 8 || version < VERSION) throw tooOld(`${version >> 8}.${version & 0xff}`)
  })
  return {
    validPaths: (paths, { substitute = false, keep = false } = {}) => {
      const request = [Command.validPaths, Number(keep), Number(substitute), paths]
      return session.ask(request, (reader) => readValidPaths(reader, paths))
    },
    pathInfos: (paths) => session.ask([Command.pathInfos, paths], (reader) => readPathInfos(reader, paths)),
    closure: (paths) => session.ask([Command.closure, 0, paths], readClosure),
    dump: ({ path, narSize }) => session.askBytes([Command.dump, path], narSize),
    add: (info, archive) => add(session, info, archive),
    close: () => session.close(),
  }
}

function add(session: ServeSession, info: PathInfo, archive: AsyncIterable<Uint8Array>): Promise<void> {
  const request = [Command.add, ...addRequest(info)]
  return session.ask(
    request,
    async (reader) => {
      if ((await reader.number()) !== 1) throw notANixStore()
    },
    { size: info.narSize, chunks: archive },
  )
}
