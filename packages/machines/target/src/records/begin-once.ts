import { DavitError } from '@davit/diagnostics'

import { isConnectionLost } from '../machine.ts'

export type Beginning<Result> =
  | { readonly kind: 'ended'; readonly result: Result }
  /** The connection was lost after the request had been sent. */
  | { readonly kind: 'lost' }
  | NotBegun

/** The request has not reached the machine. */
export interface NotBegun {
  readonly kind: 'not-begun'
  readonly message: string
  readonly error: unknown
}

/** Sends a request that must not reach the machine twice; `send` reports when it may have been sent. */
export async function beginOnce<Result>(send: (sent: () => void) => Promise<Result>): Promise<Beginning<Result>> {
  const first = await tryToBegin(send)
  // The helper had just been lost; the second attempt may get a new one.
  return first.kind === 'not-begun' && isConnectionLost(first.error) ? tryToBegin(send) : first
}

async function tryToBegin<Result>(send: (sent: () => void) => Promise<Result>): Promise<Beginning<Result>> {
  let wasSent = false
  const sent = () => {
    wasSent = true
  }
  try {
    return { kind: 'ended', result: await send(sent) }
  } catch (error) {
    if (wasSent && isConnectionLost(error)) return { kind: 'lost' }
    if (wasSent || !(error instanceof DavitError)) throw error
    return { kind: 'not-begun', message: error.message, error }
  }
}
