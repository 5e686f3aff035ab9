import { hostname, userInfo } from 'node:os'
import { DavitError, ExitStatus, type Trace, traced } from '@davit/diagnostics'
import { type Environment, runCommand } from '@davit/process'
import { parseSshAddress } from './ssh-address.ts'
import { parseSshConfiguration, type SshConfiguration } from './ssh-configuration.ts'
import { sshCommand, type SshPlace } from './ssh-error.ts'
import { UNEXPANDED } from './ssh-paths.ts'

/** The variable that names a configuration in place of the user's own. */
const CONFIGURATION = 'DAVIT_SSH_CONFIG'

/** Asks the user's OpenSSH how it would reach an address, without connecting. */
export async function askSsh(address: string, options: AskOptions): Promise<SshConfiguration> {
  const { environment, directory } = options
  const [text, defaults] = await Promise.all([
    printed(address, options, sshArguments(address, options)),
    options.defaults(),
  ])
  const { host } = parseSshAddress(address)
  const { homedir, username, uid } = userInfo()
  const account = { home: homedir, localUser: username, localUserId: uid, localHost: hostname() }
  const tokens = { defaults, environment, directory, ...account, originalHost: host }
  return { ...parseSshConfiguration(address, text, tokens), configurationFile: environment[CONFIGURATION] }
}

/** Arguments with which the user's OpenSSH reaches an address, the host last. */
export function sshArguments(
  address: string,
  { environment, role }: Pick<AskOptions, 'environment' | 'role'>,
): readonly string[] {
  const { host, user, port } = parseSshAddress(address)
  return [
    ...option('-F', environment[CONFIGURATION]),
    ...option('-l', user ?? (role === 'target' ? environment['SSH_USER'] : undefined)),
    ...option('-p', port?.toString()),
    ...(role === 'target' ? splitWords(environment['SSH_OPTS']) : []),
    '--',
    host,
  ]
}

/**
 * Output of `ssh -G` without any configuration: the defaults of this version of OpenSSH. Its UserKnownHostsFile shows whether tokens of
 * that and of IdentityAgent are expanded.
 */
export function askSshDefaults(context: SshContext): Promise<string> {
  return printed('localhost', context, ['-F', 'none', '-o', `UserKnownHostsFile=${UNEXPANDED}`, '--', 'localhost'])
}

interface SshContext {
  readonly environment: Environment
  /** Directory in which ssh is asked, if not that of this process. */
  readonly directory?: string | undefined
  readonly signal?: AbortSignal
  readonly trace?: Trace | undefined
}

export interface AskOptions extends SshContext {
  readonly role: 'target' | 'jump-host'
  defaults(): Promise<string>
}

async function printed(address: string, context: SshContext, rest: readonly string[]): Promise<string> {
  const { environment, directory, signal, trace } = context
  const command = {
    argv: ['ssh', '-G', '-T', ...rest],
    env: environment,
    ...(directory === undefined ? {} : { cwd: directory }),
    timeoutSeconds: 30,
    ...(signal === undefined ? {} : { signal }),
  } as const
  const span = { kind: 'ssh', name: 'ssh -G', place: address } as const
  const { exitCode, stdout, stderr } = await traced(trace, span, () => runCommand(command))
  if (exitCode !== 0) throw configurationError({ address, configurationFile: environment[CONFIGURATION] }, stderr)
  return stdout
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [name, value]
}

function splitWords(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '')
}

function configurationError(place: SshPlace, stderr: string): DavitError {
  // The first line names the error and its place; the last one only says that ssh terminates.
  const [reason = ''] = stderr.trim().split('\n')
  return new DavitError('bad-ssh-configuration', `cannot connect to '${place.address}': ssh reports: ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    hint: `run '${sshCommand(place, ['-G'])}' to see the whole error`,
  })
}
