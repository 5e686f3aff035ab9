import type { Readable, Writable } from 'node:stream'
import type { StorePath } from '@davit/documents'
import type { PathInfo } from './path-info.ts'

/** The two ends of a running `nix-store --serve --write`. */
export interface ServeChannel {
  readonly stdin: Writable
  readonly stdout: Readable
}

/** Speaks the serve protocol of Nix, version 2.5 or later, with a store on this or another machine. */
export interface ServeClient {
  /** Which of these are valid; with `substitute`, after the store has fetched from its caches what it can. */
  validPaths(paths: readonly StorePath[], options?: { readonly substitute?: boolean }): Promise<ReadonlySet<StorePath>>
  /** Of those that are valid, in no particular order. */
  pathInfos(paths: readonly StorePath[]): Promise<readonly PathInfo[]>
  /** Of valid paths, in no particular order. */
  closure(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /** The archive of a valid path, whose size is known. */
  dump(info: Pick<PathInfo, 'path' | 'narSize'>): AsyncIterable<Uint8Array>
  /** Makes a path valid whose references are; its archive is checked against hash and size by the store. */
  add(info: PathInfo, archive: AsyncIterable<Uint8Array>): Promise<void>
  /** The store ends by itself when its input ends. */
  close(): void
}
