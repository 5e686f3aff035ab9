import type { PathInfo } from './path-info.ts'
import type { ServeClient } from './serve-client.ts'
import { referencesFirst } from './references-first.ts'

export interface CopyOptions {
  readonly signal: AbortSignal
}

export interface CopiedPaths {
  readonly paths: number
  /** Of their archives. */
  readonly bytes: number
}

/** How many archives are on their way at a time, so that no answer is waited for. */
const AHEAD = 64

/**
 * Makes paths that are valid in one store valid in another one, which has all else that they refer to. Each archive is checked
 * by the store that receives it. After a failure or an abort, both stores have been closed, and what was complete is valid.
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
    // Waited for below, in order.
    added.catch(() => {})
    underWay.push(added)
    if (underWay.length >= AHEAD) await underWay.shift()
  }
  await Promise.all(underWay)
}
