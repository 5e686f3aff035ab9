import { DavitError, ExitStatus } from '@davit/diagnostics'
import { expandPath, type PathTokens } from './expand-path.ts'

/** What the user's OpenSSH would do to reach one host. */
export interface SshConfiguration {
  /** As the user wrote it. */
  readonly address: string
  readonly hostname: string
  readonly port: number
  readonly user: string
  readonly addressFamily: 0 | 4 | 6
  /** Names to look up among known hosts, best first. */
  readonly hostKeyNames: readonly [string, ...string[]]
  readonly userKnownHostsFiles: readonly string[]
  readonly globalKnownHostsFiles: readonly string[]
  readonly unknownHosts: 'refuse' | 'accept-new'
  readonly hashKnownHosts: boolean
  readonly hostKeyAlgorithms: readonly string[]
  readonly identityFiles: readonly string[]
  readonly identitiesOnly: boolean
  /** Socket of the agent. */
  readonly agent: string | undefined
  /** Hosts to go through, the nearest to us first. */
  readonly proxyJump: readonly string[]
  readonly connectTimeoutSeconds: number
  readonly keepalive: { readonly seconds: number; readonly count: number }
}

const DEFAULT_CONNECT_TIMEOUT_SECONDS = 20
const DEFAULT_KEEPALIVE_SECONDS = 15

/** Reads what `ssh -G` prints: a line `keyword value` each, keywords in lower case, some of them repeated. */
export function parseSshConfiguration(address: string, text: string, tokens: PathTokens): SshConfiguration {
  const settings = parseSettings(text)
  const first = (keyword: string): string | undefined => settings.get(keyword)?.[0]
  const host = { hostname: first('hostname') ?? address, port: Number(first('port') ?? 22), user: first('user') ?? '' }
  refuseUnsupported(address, first)
  const path = (name: string): string => expandPath(name, { ...tokens, ...host })
  return {
    ...host,
    address,
    addressFamily: ADDRESS_FAMILIES[first('addressfamily') ?? ''] ?? 0,
    hostKeyNames: hostKeyNames(first('hostkeyalias'), host),
    userKnownHostsFiles: splitPaths(first('userknownhostsfile')).map(path),
    globalKnownHostsFiles: splitPaths(first('globalknownhostsfile')).map(path),
    unknownHosts: ACCEPTING.has(first('stricthostkeychecking') ?? '') ? 'accept-new' : 'refuse',
    hashKnownHosts: first('hashknownhosts') === 'yes',
    hostKeyAlgorithms: first('hostkeyalgorithms')?.split(',') ?? [],
    identityFiles: (settings.get('identityfile') ?? []).filter((file) => file !== 'none').map(path),
    identitiesOnly: first('identitiesonly') === 'yes',
    agent: agentSocket(first('identityagent'), path, tokens),
    proxyJump: first('proxyjump')?.split(',') ?? [],
    connectTimeoutSeconds: Number(first('connecttimeout')) || DEFAULT_CONNECT_TIMEOUT_SECONDS,
    keepalive: {
      seconds: Number(first('serveraliveinterval')) || DEFAULT_KEEPALIVE_SECONDS,
      count: Number(first('serveralivecountmax')) || 3,
    },
  }
}

const ADDRESS_FAMILIES: Readonly<Record<string, 4 | 6>> = { inet: 4, inet6: 6 }

// `no` and `off` ask for less than accept-new; changed keys are refused all the same.
const ACCEPTING: ReadonlySet<string> = new Set(['accept-new', 'no', 'off', 'false'])

function parseSettings(text: string): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [, keyword, value] = /^(\S+) +(.*?)\s*$/.exec(line) ?? []
    if (keyword === undefined || value === undefined) continue
    const values = settings.get(keyword) ?? []
    settings.set(keyword, [...values, value])
  }
  return settings
}

function refuseUnsupported(address: string, first: (keyword: string) => string | undefined): void {
  for (const [keyword, { name, hint }] of UNSUPPORTED) {
    const value = first(keyword)
    if (value === undefined || value === 'none') continue
    throw new DavitError('unsupported-ssh-option', `cannot connect to '${address}': ${name} is not supported`, {
      exitStatus: ExitStatus.unreachable,
      hint,
    })
  }
}

const UNSUPPORTED: ReadonlyMap<string, { readonly name: string; readonly hint: string }> = new Map([
  ['proxycommand', { name: 'ProxyCommand', hint: 'use ProxyJump in the ssh configuration of this host' }],
  ['revokedhostkeys', { name: 'RevokedHostKeys', hint: 'mark such keys with @revoked in known_hosts' }],
])

/** As OpenSSH: the alias alone; or the name with its port, and then the bare name. */
function hostKeyNames(alias: string | undefined, host: { hostname: string; port: number }): [string, ...string[]] {
  if (alias !== undefined) return [alias.toLowerCase()]
  const name = host.hostname.toLowerCase()
  return host.port === 22 ? [name] : [`[${name}]:${host.port}`, name]
}

/** `ssh -G` joins paths with blanks and quotes nothing, but they are absolute by then. */
function splitPaths(value: string | undefined): string[] {
  return (value ?? '').split(/ +(?=[/~])/).filter((path) => path !== '' && path !== 'none')
}

function agentSocket(setting: string | undefined, path: (name: string) => string, tokens: PathTokens): string | undefined {
  if (setting === 'none') return undefined
  const variable = setting === undefined || setting === 'SSH_AUTH_SOCK' ? '$SSH_AUTH_SOCK' : setting
  const socket = /^\$\w+$/.test(variable) ? tokens.environment[variable.slice(1)] : path(variable)
  return socket === '' ? undefined : socket
}
