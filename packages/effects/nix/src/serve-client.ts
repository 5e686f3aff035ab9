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
  /** Returns the end of the store's standard error; called when the store has ended too early. */
  lastWords?(): Promise<string>
}

/**
 * Client of the serve protocol of Nix, version 2.5 or later, for a store on this or another machine. Requests are sent
 * immediately and answered in order. After an error, or a dump that was not read to its end, no request is answered.
 */
export interface ServeClient {
  /** Returns those of these paths that are valid. */
  validPaths(paths: readonly StorePath[], options?: ValidPathsOptions): Promise<ReadonlySet<StorePath>>
  /** Information about those of these paths that are valid, in no particular order. */
  pathInfos(paths: readonly StorePath[]): Promise<readonly PathInfo[]>
  /** Closure of valid paths, in no particular order. */
  closure(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /** Archive of a valid path of known size. It is requested immediately, and must be read. */
  dump(info: Pick<PathInfo, 'path' | 'narSize'>): AsyncIterable<Uint8Array>
  /** Makes a path valid whose references are valid; the store checks its archive against hash and size. */
  add(info: PathInfo, archive: AsyncIterable<Uint8Array>): Promise<void>
  /** Ends the input of the store, which then ends by itself; unanswered requests fail. */
  close(): void
}

export interface ValidPathsOptions {
  /** Whether the store first fetches from its caches what it can. */
  readonly substitute?: boolean
  /** Whether these paths are kept from being collected while this client lives. */
  readonly keep?: boolean
}

const CLIENT_MAGIC = 0x39_0c_9d_eb
const SERVER_MAGIC = 0x54_52_ee_cb
/** Version 2.5, the first in which paths can be added one by one. */
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
