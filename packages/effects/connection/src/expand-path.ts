import type { Environment } from '@davit/process'

export interface PathTokens {
  readonly environment: Environment
  readonly home: string
  readonly localUser: string
  readonly localUserId: number
  readonly originalHost: string
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
  return path
    .replace(/^~(?=\/|$)/, () => tokens.home)
    .replace(/%(.)/g, (token, letter: string) => String(values[letter] ?? token))
    .replace(/\$\{(\w+)\}/g, (reference, name: string) => tokens.environment[name] ?? reference)
}
