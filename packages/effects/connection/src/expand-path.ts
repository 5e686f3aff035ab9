import { resolve } from 'node:path'
import type { Environment } from '@davit/process'

export interface PathTokens {
  readonly environment: Environment
  readonly home: string
  readonly localUser: string
  readonly localUserId: number
  readonly originalHost: string
  /** Directory from which relative paths lead, if not that of this process. */
  readonly directory?: string | undefined
}

export interface HostTokens extends PathTokens {
  readonly hostname: string
  readonly port: number
  readonly user: string
}

/** Expands `~/`, `${VARIABLE}` and the tokens of ssh_config(5), which `ssh -G` prints unexpanded. */
export function expandPath(path: string, tokens: HostTokens): string {
  const values: Readonly<Record<string, string | number>> = {
    '%': '%',
    d: tokens.home,
    h: tokens.hostname,
    i: tokens.localUserId,
    k: tokens.originalHost,
    n: tokens.originalHost,
    p: tokens.port,
    r: tokens.user,
    u: tokens.localUser,
  }
  const expanded = path
    .replace(/^~(?=\/|$)/, () => tokens.home)
    .replace(/%(.)/g, (token, letter: string) => String(values[letter] ?? token))
    .replace(/\$\{(\w+)\}/g, (reference, name: string) => tokens.environment[name] ?? reference)
  return absolutePath(expanded, tokens)
}

export function absolutePath(path: string, { directory }: Pick<PathTokens, 'directory'>): string {
  return directory === undefined ? path : resolve(directory, path)
}
