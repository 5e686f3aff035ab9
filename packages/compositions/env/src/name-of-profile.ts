import { createHash } from 'node:crypto'

import type { ProfileName } from '@davit/documents'

/** What a deployment is called after. */
export interface NamedStack {
  readonly stack: string
  /** Empty if there is none. */
  readonly cluster: string
}

/**
 * Name of the deployment of a stack: `shop-staging`; without cluster `shop`. A `/` becomes a `+`. Other characters that a name of a
 * deployment cannot have become `_`, and digits of a hash follow, so that two names are never one.
 */
export function nameOfProfile({ stack, cluster }: NamedStack): ProfileName {
  const name = [stack, cluster]
    .filter((part) => part !== '')
    .map(partOf)
    .join('-')
  if (name.length <= MOST) return name as ProfileName
  return `${name.slice(0, MOST - HASH - 2)}+-${hashOf(name)}` as ProfileName
}

/** Longest name of a deployment. */
const MOST = 200
const HASH = 12

/** Names between slashes that need no change. */
const USUAL = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/

function partOf(name: string): string {
  if (USUAL.test(name)) return name.replaceAll('/', '+')
  const legible = name.replaceAll('/', '+').replaceAll(/[^\w.+-]/g, '_')
  return `${legible.replace(/^[.+-]/, '_')}+-${hashOf(name)}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH)
}
