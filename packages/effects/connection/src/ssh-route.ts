import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { SshConfiguration } from './ssh-configuration.ts'

/** A host, and the route to its jump host unless it is reached directly. */
export interface SshRoute {
  readonly host: SshConfiguration
  readonly through: SshRoute | undefined
}

export type Ask = (address: string, role: 'target' | 'jump-host') => Promise<SshConfiguration>

/** Follows ProxyJump as ssh does: hosts before the last of a list take the place of that host's own ProxyJump. */
export async function findRoute(address: string, ask: Ask): Promise<SshRoute> {
  return routeTo(address, { ask, jumps: [], depth: 0, target: address })
}

/** Routes with the same key lead to the same account on the same machine. */
export function routeKey({ host, through }: SshRoute): string {
  const { user, hostname, port, hostKeyNames } = host
  const key = `${user}@${hostname}:${port} ${hostKeyNames[0]}`
  return through === undefined ? key : `${routeKey(through)} > ${key}`
}

const MAX_HOPS = 8

interface Search {
  readonly ask: Ask
  /** Jump hosts that take the place of the host's own ProxyJump. */
  readonly jumps: readonly string[]
  readonly depth: number
  readonly target: string
}

async function routeTo(address: string, search: Search): Promise<SshRoute> {
  const { ask, depth } = search
  if (depth > MAX_HOPS) throw tooManyHops(search.target)
  const host = await ask(address, depth === 0 ? 'target' : 'jump-host')
  const jumps = search.jumps.length > 0 ? search.jumps : host.proxyJump
  const nearest = jumps.at(-1)
  if (nearest === undefined) return { host, through: undefined }
  return { host, through: await routeTo(nearest, { ...search, jumps: jumps.slice(0, -1), depth: depth + 1 }) }
}

function tooManyHops(target: string): DavitError {
  return new DavitError('unsupported-ssh-option', `cannot connect to '${target}': more than ${MAX_HOPS} jump hosts`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'check whether ProxyJump in the ssh configuration goes in circles',
  })
}
