import { DavitError, ExitStatus } from '@davit/diagnostics'

export interface SshAddress {
  readonly user?: string
  /** A name that the ssh configuration may know, or an address. */
  readonly host: string
  readonly port?: number
}

/** Parses `host`, `user@host`, `host:port`, `user@host:port`, `[v6]:port` or `v6`; a leading `ssh://` is ignored. */
export function parseSshAddress(text: string): SshAddress {
  const { user, rest } = splitUser(text.replace(/^ssh:\/\//, ''))
  const { host, port } = splitPort(rest)
  if (text.length > MAX_LENGTH || !WORD.test(host) || (user !== undefined && !WORD.test(user)) || !isPort(port)) {
    throw new DavitError('bad-address', `'${text.slice(0, MAX_LENGTH)}' is not a valid ssh address`, {
      exitStatus: ExitStatus.badDocument,
      hint: "write 'host', 'user@host', 'host:port' or '[ipv6]:port'",
    })
  }
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port: Number(port) }) }
}

/** Longest address, with its user and port. */
const MAX_LENGTH = 300

// Without what ssh refuses in host names on command lines, and what would look like an option.
const WORD = /^[^-\s'"`$\\;&<>|(){}@/,[\]][^\s'"`$\\;&<>|(){}@/,[\]]*$/

function splitUser(text: string): { readonly user?: string; readonly rest: string } {
  const at = text.lastIndexOf('@')
  return at === -1 ? { rest: text } : { user: text.slice(0, at), rest: text.slice(at + 1) }
}

function splitPort(text: string): { readonly host: string; readonly port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text)
  const single = bracketed ?? /^([^:]*):([^:]*)$/.exec(text)
  const host = single?.[1] ?? text
  const port = single?.[2]
  return port === undefined ? { host } : { host, port }
}

function isPort(port: string | undefined): boolean {
  return port === undefined || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
}
