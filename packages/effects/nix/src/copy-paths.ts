import type { PathInfo } from './path-info.ts'
import type { ServeClient } from './serve-client.ts'
import { referencesFirst } from './references-first.ts'

export interface CopyOptions {
  readonly signal: AbortSignal
}

export interface CopiedPaths {
  readonly paths: number
  /** Size of their archives. */
  readonly bytes: number
}

/** Archives in transit at a time, enough to wait for no answer. */
const AHEAD = 64

/**
 * Copies valid paths of one store to another, which has everything else that they refer to. The receiving store checks each
 * archive. After a failure or an abort, both stores have been closed, and the paths that were complete are valid.
 */
export async function copyPaths(
  from: ServeClient,
  to: ServeClient,
  { infos, signal }: CopyOptions & { readonly infos: readonly PathInfo[] },
): Promise<CopiedPaths> {
  signal.throwIfAborted()
  const close = (): void => {
    from.close()
    to.close()
  }
  signal.addEventListener('abort', close, { once: true })
  try {
    await copyInOrder(from, to, referencesFirst(infos))
  } catch (error) {
    close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
  return { paths: infos.length, bytes: infos.reduce((sum, { narSize }) => sum + narSize, 0) }
}

async function copyInOrder(from: ServeClient, to: ServeClient, infos: readonly PathInfo[]): Promise<void> {
  const underWay: Promise<void>[] = []
  for (const info of infos) {
    const added = to.add(info, from.dump(info))
    // Awaited below, in order.
    added.catch(() => {})
    underWay.push(added)
    if (underWay.length >= AHEAD) await underWay.shift()
  }
  await Promise.all(underWay)
}
