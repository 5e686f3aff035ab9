import { existsSync } from 'node:fs'
import { absolutePath, expandJumpHost, expandPath, type HostTokens, type RefuseToken } from './expand-path.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import { isSame, type Settings, unsupported } from './ssh-settings.ts'

/** A path that `ssh -G` prints differently if it expands tokens. */
export const UNEXPANDED = '/%%'

interface PathTerms {
  readonly address: string
  readonly tokens: HostTokens
  readonly byDefault: Settings
}

type Paths = Pick<
  SshConfiguration,
  | 'userKnownHostsFiles'
  | 'globalKnownHostsFiles'
  | 'identityFiles'
  | 'identitiesNamed'
  | 'certificateFiles'
  | 'agent'
  | 'proxyJump'
>

/** Expands all that ssh would expand; refuses by name what davit cannot. */
export function pathsIn(settings: Settings, { address, tokens, byDefault }: PathTerms): Paths {
  const refusing = (keyword: string) => unexpanded(address, keyword)
  const pathOf = (keyword: string) => (name: string) => expandPath(name, tokens, refusing(keyword))
  // ssh prints these expanded, unless it is old.
  const isExpanded = !['', UNEXPANDED].includes(byDefault.text('userknownhostsfile', ''))
  const absolute = (file: string) => absolutePath(file, tokens)
  const expandedPathOf = (keyword: string) => (isExpanded ? absolute : pathOf(keyword))
  if (/%|\$\{/.test(tokens.user)) refusing('User')(tokens.user, 'davit does not expand it')
  const identities = settings.all('identityfile')
  return {
    userKnownHostsFiles: splitPaths(settings.text('userknownhostsfile', ''))
      .map(expandedPathOf('UserKnownHostsFile'))
      .map((file) => whole(address, file)),
    // ssh does not expand these either.
    globalKnownHostsFiles: splitPaths(settings.text('globalknownhostsfile', '')).map(absolute),
    identityFiles: identities.map(pathOf('IdentityFile')),
    identitiesNamed: !isSame(identities, byDefault.all('identityfile')),
    certificateFiles: settings.all('certificatefile').map(pathOf('CertificateFile')),
    agent: agentSocket(settings.text('identityagent', 'SSH_AUTH_SOCK'), expandedPathOf('IdentityAgent'), tokens),
    proxyJump: settings.list('proxyjump').map((one) => expandJumpHost(one, tokens, refusing('ProxyJump'))),
  }
}

/** `ssh -G` joins paths with blanks and quotes nothing. Each begins like a path that is not relative, or with a token or variable. */
function splitPaths(value: string): string[] {
  return value.split(/(?<! ) +(?=[/~%]|\$\{)/).filter((path) => path !== '' && path !== 'none')
}

/** Refuses two files that may be one with a blank in its name. */
function whole(address: string, file: string): string {
  const [first = ''] = file.split(' ')
  if (first === file || existsSync(file) || !existsSync(first)) return file
  throw unsupported(
    address,
    `UserKnownHostsFile '${file}' may be several files`,
    'write absolute paths, or such as begin with ~/',
  )
}

function unexpanded(address: string, keyword: string): RefuseToken {
  return (token, reason) => {
    throw unsupported(
      address,
      `'${token}' in ${keyword} of its ssh configuration: ${reason}`,
      `write what is meant in ${keyword} for this host`,
    )
  }
}

/** Socket of the agent; `SSH_AUTH_SOCK` and `$NAME` are variables of the environment. */
function agentSocket(setting: string, path: (name: string) => string, tokens: HostTokens): string | undefined {
  if (setting === 'none') return undefined
  const variable = setting === 'SSH_AUTH_SOCK' ? setting : /^\$(\w+)$/.exec(setting)?.[1]
  const socket = variable === undefined ? path(setting) : tokens.environment[variable]
  return socket ? absolutePath(socket, tokens) : undefined
}
