import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ClientExecutable } from './channel.ts'

/** A step on the way to a machine. */
export type Hop = { readonly kind: 'local' } | SshHop | ({ readonly kind: 'client' } & ClientExecutable)

export interface SshHop {
  readonly kind: 'ssh'
  readonly address: string
}

/** How a machine is reached: the first hop begins on this machine, each further one on the machine so far. */
export type ConnectionRequest = readonly [Hop, ...Hop[]]

/** What begins with ssh, and can be asked of a holder. */
export type SshRequest = readonly [SshHop, ...Hop[]]

/** This machine, as the user who runs the tool. */
export const HERE: ConnectionRequest = [{ kind: 'local' }]

/** Requests with the same key ask for the same way. */
export function requestKey(request: ConnectionRequest): string {
  return JSON.stringify(request.map(wordsOf))
}

/** Where a request leads, in messages. */
export function requestText(request: ConnectionRequest): string {
  return request.map((hop) => (hop.kind === 'local' ? hop.kind : hop.address)).join(' > ')
}

/** The hop of a request that has one; no connection has more yet. */
export function onlyHop<First extends Hop>(request: readonly [First, ...Hop[]]): First {
  const [first, ...further] = request
  if (further.length === 0) return first
  const reason = `more than one hop is not supported, and it takes ${request.length}`
  throw new DavitError('unsupported-interface', `cannot connect to '${requestText(request)}': ${reason}`, {
    exitStatus: ExitStatus.unreachable,
  })
}

function wordsOf(hop: Hop): readonly string[] {
  if (hop.kind === 'local') return [hop.kind]
  return hop.kind === 'ssh' ? [hop.kind, hop.address] : [hop.kind, hop.executable, hop.address]
}
