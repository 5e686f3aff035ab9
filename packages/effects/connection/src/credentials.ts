import { stat } from 'node:fs/promises'
import { type Environment, runCommand } from '@davit/process'
import { askSsh, askSshDefaults } from './ask-ssh.ts'
import { readIdentities } from './identities.ts'

/** What this machine has to log in elsewhere with. */
export interface SshCredentials {
  /** Version of OpenSSH, as it prints it. */
  readonly version: string
  /** Socket of the agent, with the number of its keys; undefined if there is none. */
  readonly agent: { readonly socket: string; readonly keys: number } | undefined
  /** Files with private keys that can be used. */
  readonly keyFiles: readonly string[]
  /** Those of them that other accounts may read. */
  readonly exposed: readonly string[]
  /** Why other keys cannot be used. */
  readonly problems: readonly string[]
}

interface SshSurroundings {
  readonly environment: Environment
  readonly signal: AbortSignal
}

/** Asks the user's OpenSSH for the keys that it would use for an address. */
export async function sshCredentials(address: string, context: SshSurroundings): Promise<SshCredentials> {
  const { environment: env, signal } = context
  const version = await runCommand({ argv: ['ssh', '-V'], env, signal, timeoutSeconds: 30 })
  const defaults = () => askSshDefaults(context)
  const configuration = await askSsh(address, { ...context, role: 'target', defaults })
  const { agent, keys, problems } = await readIdentities(configuration)
  const keyFiles = keys.map(({ file }) => file)
  const isExposed = await Promise.all(keyFiles.map(mayOthersRead))
  return {
    version: `${version.stderr}${version.stdout}`.split('\n')[0]?.trim() ?? '',
    agent: agent === undefined ? undefined : { socket: agent.socket, keys: agent.keys.length },
    keyFiles,
    exposed: keyFiles.filter((_, index) => isExposed[index]),
    problems,
  }
}

async function mayOthersRead(file: string): Promise<boolean> {
  return ((await stat(file)).mode & 0o077) !== 0
}
