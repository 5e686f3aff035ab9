import { userInfo } from 'node:os'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Environment, runCommand } from '@davit/process'
import { parseSshAddress } from './ssh-address.ts'
import { parseSshConfiguration, type SshConfiguration } from './ssh-configuration.ts'

/** Asks the user's OpenSSH how it would reach an address; nothing is connected. */
export async function askSsh(
  address: string,
  options: { readonly environment: Environment; readonly role: 'target' | 'jump-host'; readonly signal?: AbortSignal },
): Promise<SshConfiguration> {
  const { environment, role } = options
  const { host, user, port } = parseSshAddress(address)
  const argv = ['ssh', '-G', '-T'] as const
  const result = await runCommand({
    argv: [
      ...argv,
      ...option('-F', environment['DAVIT_SSH_CONFIG']),
      ...option('-l', user ?? (role === 'target' ? environment['SSH_USER'] : undefined)),
      ...option('-p', port?.toString()),
      ...(role === 'target' ? splitWords(environment['SSH_OPTS']) : []),
      '--',
      host,
    ],
    env: environment,
    timeoutSeconds: 30,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  if (result.exitCode !== 0) throw configurationError(address, result.stderr)
  const { homedir, username, uid } = userInfo()
  const tokens = { environment, home: homedir, localUser: username, localUserId: uid, originalHost: host }
  return parseSshConfiguration(address, result.stdout, tokens)
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [name, value]
}

function splitWords(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '')
}

function configurationError(address: string, stderr: string): DavitError {
  const reason = stderr.trim().split('\n').at(-1) ?? ''
  return new DavitError('bad-ssh-configuration', `cannot connect to '${address}': ssh says: ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    hint: `try 'ssh -G ${address}'`,
  })
}
