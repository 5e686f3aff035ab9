import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { isProcessGone, processIdentity, type ProcessReference } from '@davit/process'
import { pathExists } from './path-exists.ts'
import type { StoreContext } from './store-context.ts'
import { neededDirectory } from './store-layout.ts'

/**
 * Records paths as needed for as long as this process lives, or the `davit-env` of which it is a step. That counts even where
 * the protection for a day does not (see `target-runtime/runtime/collect.sh`).
 */
export function needPaths({ layout, environment }: StoreContext, paths: readonly StorePath[]): void {
  const directory = neededDirectory(layout)
  const { bootId, parent, ...self } = processIdentity()
  if (pathExists(directory)) removeDead(directory, { ...self, bootId })
  if (paths.length === 0) return
  const isStep = environment['DAVIT_RUN']?.endsWith(`.${parent.pid}`) === true
  mkdirSync(directory, { recursive: true })
  const names = paths.map((path) => `${basename(path)}\n`).join('')
  for (const { pid, startTime } of isStep ? [self, parent] : [self]) {
    appendFileSync(join(directory, `${pid}:${startTime}:${bootId}`), names)
  }
}

function removeDead(directory: string, { namespace, bootId }: ProcessReference & { readonly bootId: string }): void {
  for (const owner of readdirSync(directory)) {
    const [pid = '', startTime = '', boot] = owner.split(':')
    const isDead = boot !== bootId || isProcessGone({ pid: Number(pid), startTime: Number(startTime), namespace })
    if (isDead) rmSync(join(directory, owner), { force: true })
  }
}
