import { resolve } from 'node:path'
import type { Environment } from '@davit/process'

export interface PathTokens {
  readonly environment: Environment
  readonly home: string
  readonly localUser: string
  readonly localUserId: number
  readonly originalHost: string
  /** Name of this machine, as its system reports it. */
  readonly localHost?: string
  /** Directory from which relative paths lead, if not that of this process. */
  readonly directory?: string | undefined
}

export interface HostTokens extends PathTokens {
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** HostKeyAlias, or else the host as the user wrote it. */
  readonly keyAlias: string
  /** Value of ProxyJump. */
  readonly jumpHosts: string
}

/** Called with what ssh would not expand either, or davit does not. */
export type RefuseToken = (token: string, reason: string) => never

/** Expands `~`, `${VARIABLE}` and the tokens of ssh_config(5) in a path, which `ssh -G` prints unexpanded. */
export function expandPath(path: string, tokens: HostTokens, refuse: RefuseToken): string {
  const { environment, home, localUser } = tokens
  const [tilde = '', user = ''] = /^~([^/]*)/.exec(path) ?? []
  if (user !== '' && user !== localUser) refuse(tilde, 'davit does not know the homes of other users')
  const expanded = expandTokens(path.slice(tilde.length), { tokens: tokenValues(tokens), environment }, refuse)
  return absolutePath(tilde === '' ? expanded : `${home}${expanded}`, tokens)
}

/** Expands the tokens of a jump host: those of ProxyCommand, of the host behind it. */
export function expandJumpHost(host: string, tokens: HostTokens, refuse: RefuseToken): string {
  const { '%': percent, h, k, n, p, r } = tokenValues(tokens)
  return expandTokens(host, { tokens: { '%': percent, h, k, n, p, r }, environment: undefined }, refuse)
}

function tokenValues(tokens: HostTokens) {
  const { localHost } = tokens
  return {
    '%': '%',
    L: localHost?.replace(/\..*/s, ''),
    d: tokens.home,
    h: tokens.hostname,
    i: tokens.localUserId,
    j: tokens.jumpHosts,
    k: tokens.keyAlias,
    l: localHost,
    n: tokens.originalHost,
    p: tokens.port,
    r: tokens.user,
    u: tokens.localUser,
  }
}

interface Values {
  readonly tokens: Readonly<Record<string, string | number | undefined>>
  /** Undefined where variables are not expanded. */
  readonly environment: Environment | undefined
}

/** What stands for a token is not expanded again. */
function expandTokens(text: string, { tokens, environment }: Values, refuse: RefuseToken): string {
  const expression = environment === undefined ? /%(.?)/gs : /%(.?)|\$\{(?:([^}$]*)\})?/gs
  return text.replaceAll(expression, (token: string, letter: string | undefined, name: string | undefined) => {
    const value = letter === undefined ? environment?.[name ?? ''] : own(tokens, letter)
    if (value !== undefined) return String(value)
    return refuse(token, letter === undefined ? 'that variable is not set' : 'davit does not expand it')
  })
}

function own(tokens: Values['tokens'], letter: string) {
  return Object.hasOwn(tokens, letter) ? tokens[letter] : undefined
}

export function absolutePath(path: string, { directory }: Pick<PathTokens, 'directory'>): string {
  return directory === undefined ? path : resolve(directory, path)
}
