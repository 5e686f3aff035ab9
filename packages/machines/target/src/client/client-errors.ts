import { DavitError, type DavitErrorOptions, ExitStatus, printable } from '@davit/diagnostics'

import type { EndedScript } from '../nix/errors.ts'
import type { ClientCall } from './client.ts'

/** A client executable that has refused by itself: it was not ended from outside. */
export class ClientRefused extends DavitError {}

/** The error for a client executable that ended with another status than 0. */
export function clientEnded(call: ClientCall, { status, lastWords }: EndedScript): DavitError {
  const said = lastWords.trim().split('\n').slice(-MAX_LINES).join('; ').slice(-MAX_CHARACTERS)
  const how = HOW.get(status) ?? (status > 128 ? `was ended by signal ${status - 128}` : `ended with status ${status}`)
  const what = said === '' ? how : `${how}: ${printable(said)}`
  return status > 128
    ? clientFailed(call, what)
    : new ClientRefused('client-failed', messageOf(call, what), { ...UNREACHABLE, ...adviceFor(status) })
}

export function clientLate(call: ClientCall, seconds: number): DavitError {
  return clientFailed(call, `has not ended for ${seconds} s, and was stopped`, {
    hint: 'if it is only slow, raise DAVIT_ANSWER_TIMEOUT (seconds)',
  })
}

export function clientFloods(call: ClientCall): DavitError {
  return clientFailed(call, 'printed more than 16 MB')
}

/** The error for output that is not what the operation prints. */
export function clientNonsense(call: ClientCall, line: string): DavitError {
  return clientFailed(call, `printed '${printable(line.slice(0, 100))}', which is no answer`)
}

/** The error for a closure without the path of which it is one, which belongs to each. */
export function clientOmits(call: ClientCall, path: string): DavitError {
  return clientFailed(call, `printed a closure of '${path}' without that path`)
}

/** The error for what is no profile manifest. */
export function clientManifest(call: ClientCall, cause: DavitError): DavitError {
  const { diagnostics } = cause
  return clientFailed(call, 'printed what is no profile manifest', { diagnostics, cause })
}

function adviceFor(status: number): { readonly hint?: string } {
  return status === 127
    ? { hint: 'check clientInterface: a path, or the name of a program on PATH of this machine' }
    : {}
}

const HOW = new Map([
  [126, 'cannot be run'],
  [127, 'cannot be run'],
])
const MAX_LINES = 5
const MAX_CHARACTERS = 1_000

const UNREACHABLE = { exitStatus: ExitStatus.unreachable }

function clientFailed(call: ClientCall, what: string, advice: DavitErrorOptions = {}): DavitError {
  return new DavitError('client-failed', messageOf(call, what), { ...UNREACHABLE, ...advice })
}

function messageOf({ executable, address, operation }: ClientCall, what: string): string {
  return `'${executable} --${operation} --target ${address}' ${what}`
}
