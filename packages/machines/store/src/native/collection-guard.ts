import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemErrorCode } from '@davit/files'
import { encodeProcessReference, isProcessGone, processIdentity, processReference } from '@davit/process'
import { claimFile, collectionsFile, type StoreLayout } from './store-layout.ts'

/**
 * Runs work during which no garbage is collected, such as finding out what is valid and then keeping it. Calls can be nested.
 * What was known before is forgotten if garbage was collected since. The work must be short, since collectors wait for it
 * (see `target-runtime/runtime/collect.sh`).
 */
export type Undisturbed = <Result>(use: () => Promise<Result>) => Promise<Result>

export function collectionGuard(layout: StoreLayout, forget: () => void): Undisturbed {
  let users = 0
  let marker: Promise<string> | undefined
  let collections = collectionsIn(layout)
  const begin = async () => {
    const entered = await enter(layout)
    const now = collectionsIn(layout)
    if (now !== collections) forget()
    collections = now
    return entered
  }
  return async (use) => {
    users += 1
    try {
      await (marker ??= begin())
      return await use()
    } finally {
      users -= 1
      if (users === 0) {
        const left = marker
        marker = undefined
        await left?.then(rmdirSync, () => {})
      }
    }
  }
}

const PAUSE_MILLISECONDS = 20

/** Worker and collector each show themselves first, and then look for the other, so that one of them waits. */
async function enter(layout: StoreLayout): Promise<string> {
  const name = `${encodeProcessReference(processReference())}-commit-${randomBytes(8).toString('hex')}`
  const marker = join(layout.incoming, name)
  for (;;) {
    mkdirSync(marker)
    if (!isClaimed(layout)) return marker
    rmdirSync(marker)
    while (isClaimed(layout)) await delay(PAUSE_MILLISECONDS)
  }
}

/** Whether the claim is that of a living shell: `PID:START-TIME:BOOT-ID`. */
function isClaimed(layout: StoreLayout): boolean {
  const [pid = '', startTime = '', bootId] = claimant(layout).split(':')
  const here = processIdentity().bootId
  if (pid === '' || (bootId !== here && bootId !== 'unknown' && here !== '')) return false
  const { namespace } = processReference()
  return !isProcessGone({ pid: Number(pid), startTime: Number(startTime), namespace })
}

function claimant(layout: StoreLayout): string {
  return emptyIfAbsent(() => readlinkSync(claimFile(layout)))
}

/** A text that changes with each collection. */
function collectionsIn(layout: StoreLayout): string {
  return emptyIfAbsent(() => readFileSync(collectionsFile(layout), 'utf8'))
}

function emptyIfAbsent(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return ''
    throw error
  }
}
