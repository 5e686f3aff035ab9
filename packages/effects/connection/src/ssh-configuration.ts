import { isIP } from 'node:net'
import type { PathTokens } from './expand-path.ts'
import { type AlgorithmKeyword, usableAlgorithms } from './ssh-algorithms.ts'
import { refusalOfKeyword } from './ssh-keywords.ts'
import { pathsIn } from './ssh-paths.ts'
import { isSame, parseSettings, type Settings, unsupported } from './ssh-settings.ts'

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
  const all = {
    ...tokens,
    ...host,
    keyAlias: settings.all('hostkeyalias')[0] ?? tokens.originalHost,
    jumpHosts: settings.all('proxyjump')[0] ?? '',
  }
  return {
    ...host,
    address,
    addressFamily: ADDRESS_FAMILIES[settings.text('addressfamily', 'any')] ?? 0,
    hostKeyNames: hostKeyNames(settings.text('hostkeyalias', ''), host),
    ...pathsIn(settings, { address, tokens: all, byDefault }),
    unknownHosts: ACCEPTING.has(settings.text('stricthostkeychecking', 'ask')) ? 'accept-new' : 'refuse',
    hashKnownHosts: settings.text('hashknownhosts', 'no') === 'yes',
    ...algorithmsIn(address, settings, byDefault),
    keyProviders: settings.all('pkcs11provider'),
    identitiesOnly: settings.text('identitiesonly', 'no') === 'yes',
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

function allowsKeys(settings: Settings): boolean {
  const ways = settings.list('preferredauthentications')
  return !OFF.has(settings.text('pubkeyauthentication', 'yes')) && (ways.length === 0 || ways.includes('publickey'))
}

const OFF: ReadonlySet<string> = new Set(['no', 'false'])

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
