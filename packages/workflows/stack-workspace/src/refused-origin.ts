import { printable } from '@davit/diagnostics'
import type { FullReference, Origin } from '@davit/stack'

/** A machine's name, which is also a directory: neither hidden nor above. */
const BASE = /^[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+(?::\d{1,5})?\/$/
/** Transports such as `ext::` run commands. */
const TRANSPORT = /^[A-Za-z0-9+.-]*::/
const PROTOCOL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/$/

/** Protocols for which git runs no program of another name. Others are for repositories that the workspace names, if the user allows them. */
const PROTOCOLS: ReadonlySet<string> = new Set(['https://', 'http://', 'ssh://', 'git://', 'file://'])

/** Says why a stack is not fetched from where it should come from; undefined if nothing speaks against it. */
export function whyRefused({ base, protocol }: FullReference, { url, isNamed }: Origin): string | undefined {
  if (!BASE.test(base)) return `'${base}' is not the name of a machine`
  if (!PROTOCOL.test(protocol)) return `'${protocol}' is not a protocol`
  if (!isNamed && !PROTOCOLS.has(protocol)) return `git would run a program to fetch with '${protocol}'`
  return whyNoAddress(url)
}

/** Whether git would run a program of the name of the protocol. */
export function runsProgram(url: string): boolean {
  const [, protocol] = /^([A-Za-z0-9+.-]+:\/\/)/.exec(url) ?? []
  return protocol !== undefined && !PROTOCOLS.has(protocol)
}

function whyNoAddress(url: string): string | undefined {
  if (url.startsWith('-')) return 'the address of a repository cannot begin with a hyphen'
  if (TRANSPORT.test(url)) return 'git would run a program to reach this address'
  return printable(url) !== url || url.includes('\n') ? 'the address has control characters' : undefined
}
