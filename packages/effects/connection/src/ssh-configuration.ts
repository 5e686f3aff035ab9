import { isIP } from 'node:net'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { absolutePath, expandPath, type PathTokens } from './expand-path.ts'
import { type AlgorithmKeyword, usableAlgorithms } from './ssh-algorithms.ts'
import { refusalOfKeyword } from './ssh-keywords.ts'

/** Settings with which the user's OpenSSH would reach one host. */
export interface SshConfiguration {
  /** Address as the user wrote it. */
  readonly address: string
  /** Configuration file in place of the user's own. */
  readonly configurationFile?: string | undefined
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
  /** Lists of algorithms, the preferred one first; an empty list means those of ssh2. */
  readonly hostKeyAlgorithms: readonly string[]
  readonly kexAlgorithms: readonly string[]
  readonly ciphers: readonly string[]
  readonly macs: readonly string[]
  /** Algorithms with which the user's keys may sign; empty if all may be used. */
  readonly pubkeyAlgorithms: readonly string[]
  /** Minimum size in bits of any RSA key, the user's or the host's. */
  readonly requiredRsaSize: number
  readonly compression: boolean
  readonly identityFiles: readonly string[]
  /** Whether the user named the files; otherwise they are OpenSSH's defaults, few of which exist. */
  readonly identitiesNamed: boolean
  readonly certificateFiles: readonly string[]
  /** Libraries of hardware keys. */
  readonly keyProviders: readonly string[]
  readonly identitiesOnly: boolean
  /** Socket of the agent. */
  readonly agent: string | undefined
  /** Jump hosts, the nearest first. */
  readonly proxyJump: readonly string[]
  readonly bindAddress: string | undefined
  readonly connectTimeoutSeconds: number
  readonly connectionAttempts: number
  /** Variables to send; sshd accepts those that its AcceptEnv allows. */
  readonly sessionVariables: Readonly<Record<string, string>>
  readonly keepalive: { readonly seconds: number; readonly count: number }
}

const DEFAULT_CONNECT_TIMEOUT_SECONDS = 20
const DEFAULT_KEEPALIVE_SECONDS = 15
const DEFAULT_RSA_SIZE = 1024

/**
 * Parses the output of `ssh -G`: lines `keyword value`, keywords in lower case, some of them repeated. `defaults` is its output without
 * a configuration.
 */
export function parseSshConfiguration(
  address: string,
  text: string,
  { defaults = '', ...tokens }: PathTokens & { readonly defaults?: string },
): SshConfiguration {
  const settings = parseSettings(text)
  const byDefault = parseSettings(defaults)
  refuseUnsupported(address, settings, byDefault)
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
    ...algorithmsIn(address, settings, byDefault),
    ...identitiesIn(settings, byDefault, path),
    certificateFiles: settings.all('certificatefile').map(path),
    keyProviders: settings.all('pkcs11provider'),
    identitiesOnly: settings.text('identitiesonly', 'no') === 'yes',
    agent: agentSocket(settings.text('identityagent', 'SSH_AUTH_SOCK'), path, tokens),
    proxyJump: settings.list('proxyjump'),
    bindAddress: settings.all('bindaddress')[0],
    connectionAttempts: settings.number('connectionattempts', 1),
    sessionVariables: variablesOf(settings.all('setenv')),
    connectTimeoutSeconds: settings.number('connecttimeout', DEFAULT_CONNECT_TIMEOUT_SECONDS),
    keepalive: {
      seconds: settings.number('serveraliveinterval', DEFAULT_KEEPALIVE_SECONDS),
      count: settings.number('serveralivecountmax', 3),
    },
  }
}

function identitiesIn(
  settings: Settings,
  byDefault: Settings,
  path: (name: string) => string,
): Pick<SshConfiguration, 'identityFiles' | 'identitiesNamed'> {
  const files = settings.all('identityfile')
  return { identityFiles: files.map(path), identitiesNamed: !isSame(files, byDefault.all('identityfile')) }
}

type Algorithms = Pick<
  SshConfiguration,
  'hostKeyAlgorithms' | 'kexAlgorithms' | 'ciphers' | 'macs' | 'pubkeyAlgorithms' | 'requiredRsaSize' | 'compression'
>

function algorithmsIn(address: string, settings: Settings, byDefault: Settings): Algorithms {
  const usable = (keyword: AlgorithmKeyword): readonly string[] =>
    usableAlgorithms(address, keyword, settings.list(keyword))
  // A default list is left to ssh2, whose preferences differ from OpenSSH's.
  const chosen = (keyword: AlgorithmKeyword): readonly string[] =>
    isSame(settings.all(keyword), byDefault.all(keyword)) ? [] : usable(keyword)
  return {
    hostKeyAlgorithms: usable('hostkeyalgorithms'),
    kexAlgorithms: chosen('kexalgorithms'),
    ciphers: chosen('ciphers'),
    macs: chosen('macs'),
    pubkeyAlgorithms: settings.list('pubkeyacceptedalgorithms'),
    requiredRsaSize: settings.number('requiredrsasize', DEFAULT_RSA_SIZE),
    compression: settings.text('compression', 'no') === 'yes',
  }
}

const ADDRESS_FAMILIES: Readonly<Record<string, 4 | 6>> = { inet: 4, inet6: 6 }

// `no` and `off` are laxer than accept-new; changed keys are refused all the same.
const ACCEPTING: ReadonlySet<string> = new Set(['accept-new', 'no', 'off', 'false'])

interface Settings {
  readonly keywords: readonly string[]
  /** Values of a keyword, without `none`. */
  all(keyword: string): readonly string[]
  text(keyword: string, otherwise: string): string
  /** Number of a keyword; zero counts as missing. */
  number(keyword: string, otherwise: number): number
  list(keyword: string): readonly string[]
}

function parseSettings(text: string): Settings {
  const values = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const blank = line.indexOf(' ')
    if (blank <= 0) continue
    const keyword = line.slice(0, blank)
    const value = line.slice(blank).trim()
    const before = values.get(keyword)
    if (before === undefined) values.set(keyword, [value])
    else before.push(value)
  }
  const all = (keyword: string): readonly string[] => (values.get(keyword) ?? []).filter((value) => value !== 'none')
  return {
    keywords: [...values.keys()],
    all,
    text: (keyword, otherwise) => values.get(keyword)?.[0] ?? otherwise,
    number: (keyword, otherwise) => boundedNumber(all(keyword)[0]) ?? otherwise,
    list: (keyword) => all(keyword)[0]?.split(',') ?? [],
  }
}

/** As many seconds as a timer can wait. */
const MAX_NUMBER = 2_000_000

function boundedNumber(text = ''): number | undefined {
  const number = /^\d+$/.test(text) ? Math.min(Number(text), MAX_NUMBER) : 0
  return number === 0 ? undefined : number
}

function refuseUnsupported(address: string, settings: Settings, defaults: Settings): void {
  const keyword = settings.keywords.find(
    (one) => refusalOfKeyword(one) !== undefined && !isSame(settings.all(one), defaults.all(one)),
  )
  const refusal = keyword === undefined ? undefined : refusalOfKeyword(keyword)
  if (refusal !== undefined) throw unsupported(address, `${refusal.name} is not supported`, refusal.hint)
  if (!allowsKeys(settings))
    throw unsupported(
      address,
      'its ssh configuration forbids keys',
      'allow PubkeyAuthentication, and publickey in PreferredAuthentications: davit uses keys only',
    )
  const [bindAddress] = settings.all('bindaddress')
  if (bindAddress !== undefined && isIP(bindAddress) === 0)
    throw unsupported(
      address,
      `BindAddress '${bindAddress}' is not an IP address`,
      'use an IP address instead of a name',
    )
}

function unsupported(address: string, what: string, hint: string): DavitError {
  return new DavitError('unsupported-ssh-option', `cannot connect to '${address}': ${what}`, {
    exitStatus: ExitStatus.unreachable,
    hint,
  })
}

function allowsKeys(settings: Settings): boolean {
  const ways = settings.list('preferredauthentications')
  return !OFF.has(settings.text('pubkeyauthentication', 'yes')) && (ways.length === 0 || ways.includes('publickey'))
}

const OFF: ReadonlySet<string> = new Set(['no', 'false'])

function isSame(values: readonly string[], others: readonly string[]): boolean {
  return values.length === others.length && values.every((value, index) => value === others[index])
}

function variablesOf(assignments: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    assignments.map((assignment) => [assignment.replace(/=.*/s, ''), assignment.replace(/^[^=]*=/, '')]),
  )
}

/** Names to look up, as OpenSSH does: the alias alone, or the name with its port and then the bare name. */
function hostKeyNames(alias: string, host: { hostname: string; port: number }): [string, ...string[]] {
  if (alias !== '') return [alias.toLowerCase()]
  const name = host.hostname.toLowerCase()
  return host.port === 22 ? [name] : [`[${name}]:${host.port}`, name]
}

/** `ssh -G` joins paths with blanks and quotes nothing, but they are absolute by then. */
function splitPaths(value: string): string[] {
  return value.split(/(?<! ) +(?=[/~])/).filter((path) => path !== '' && path !== 'none')
}

/** Socket of the agent; `SSH_AUTH_SOCK` and `$NAME` are variables of the environment. */
function agentSocket(setting: string, path: (name: string) => string, tokens: PathTokens): string | undefined {
  if (setting === 'none') return undefined
  const variable = setting === 'SSH_AUTH_SOCK' ? setting : /^\$(\w+)$/.exec(setting)?.[1]
  const socket = variable === undefined ? path(setting) : tokens.environment[variable]
  return socket ? absolutePath(socket, tokens) : undefined
}
