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
  readonly certificateFiles: readonly string[]
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
  refuseUnsupported(address, settings)
  const host = {
    hostname: settings.text('hostname', address),
    port: settings.number('port', 22),
    user: settings.text('user', tokens.localUser),
  }
  const path = (name: string): string => expandPath(name, { ...tokens, ...host })
  return {
    ...host,
    address,
    addressFamily: ADDRESS_FAMILIES[settings.text('addressfamily', 'any')] ?? 0,
    hostKeyNames: hostKeyNames(settings.text('hostkeyalias', ''), host),
    userKnownHostsFiles: splitPaths(settings.text('userknownhostsfile', '')).map(path),
    globalKnownHostsFiles: splitPaths(settings.text('globalknownhostsfile', '')).map(path),
    unknownHosts: ACCEPTING.has(settings.text('stricthostkeychecking', 'ask')) ? 'accept-new' : 'refuse',
    hashKnownHosts: settings.text('hashknownhosts', 'no') === 'yes',
    hostKeyAlgorithms: settings.list('hostkeyalgorithms'),
    identityFiles: settings.all('identityfile').map(path),
    certificateFiles: settings.all('certificatefile').map(path),
    identitiesOnly: settings.text('identitiesonly', 'no') === 'yes',
    agent: agentSocket(settings.text('identityagent', 'SSH_AUTH_SOCK'), path, tokens),
    proxyJump: settings.list('proxyjump'),
    connectTimeoutSeconds: settings.number('connecttimeout', DEFAULT_CONNECT_TIMEOUT_SECONDS),
    keepalive: {
      seconds: settings.number('serveraliveinterval', DEFAULT_KEEPALIVE_SECONDS),
      count: settings.number('serveralivecountmax', 3),
    },
  }
}

const ADDRESS_FAMILIES: Readonly<Record<string, 4 | 6>> = { inet: 4, inet6: 6 }

// `no` and `off` ask for less than accept-new; changed keys are refused all the same.
const ACCEPTING: ReadonlySet<string> = new Set(['accept-new', 'no', 'off', 'false'])

interface Settings {
  /** Without `none`, which is no value. */
  all(keyword: string): readonly string[]
  text(keyword: string, otherwise: string): string
  /** Zero is no value either. */
  number(keyword: string, otherwise: number): number
  list(keyword: string): readonly string[]
}

function parseSettings(text: string): Settings {
  const values = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [, keyword, value] = /^(\S+) +(.*?)\s*$/.exec(line) ?? []
    if (keyword === undefined || value === undefined) continue
    values.set(keyword, [...(values.get(keyword) ?? []), value])
  }
  const all = (keyword: string): readonly string[] => (values.get(keyword) ?? []).filter((value) => value !== 'none')
  return {
    all,
    text: (keyword, otherwise) => values.get(keyword)?.[0] ?? otherwise,
    number: (keyword, otherwise) => boundedNumber(all(keyword)[0]) ?? otherwise,
    list: (keyword) => all(keyword)[0]?.split(',') ?? [],
  }
}

/** In seconds as much as a timer can wait. */
const MAX_NUMBER = 2_000_000

function boundedNumber(text = ''): number | undefined {
  const number = /^\d+$/.test(text) ? Math.min(Number(text), MAX_NUMBER) : 0
  return number === 0 ? undefined : number
}

function refuseUnsupported(address: string, settings: Settings): void {
  for (const [keyword, { name, hint }] of UNSUPPORTED) {
    if (settings.all(keyword).length === 0) continue
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
function hostKeyNames(alias: string, host: { hostname: string; port: number }): [string, ...string[]] {
  if (alias !== '') return [alias.toLowerCase()]
  const name = host.hostname.toLowerCase()
  return host.port === 22 ? [name] : [`[${name}]:${host.port}`, name]
}

/** `ssh -G` joins paths with blanks and quotes nothing, but they are absolute by then. */
function splitPaths(value: string): string[] {
  return value.split(/ +(?=[/~])/).filter((path) => path !== '' && path !== 'none')
}

/** `SSH_AUTH_SOCK` or `$NAME` means a variable of the environment. */
function agentSocket(setting: string, path: (name: string) => string, tokens: PathTokens): string | undefined {
  if (setting === 'none') return undefined
  const variable = setting === 'SSH_AUTH_SOCK' ? setting : /^\$(\w+)$/.exec(setting)?.[1]
  return (variable === undefined ? path(setting) : tokens.environment[variable]) || undefined
}
