import { DavitError } from '@davit/diagnostics'
import { type Environment, startCommand } from '@davit/process'
import { askSsh, askSshDefaults, sshArguments } from './ask-ssh.ts'
import { BOOTSTRAP_COMMAND } from './bootstrap.ts'
import type { Channel } from './channel.ts'
import { commandChannel, type CommandScript } from './command-channel.ts'
import { knownHostsFor } from './host-key-policy.ts'
import { goodKeys } from './known-hosts.ts'
import type { SshConfiguration } from './ssh-configuration.ts'

/** A machine as another one reaches it over ssh. */
export interface SshPeer {
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** Its host keys as this machine knows them, as lines of a known_hosts file in which its name is `PEER_NAME`. */
  readonly knownHosts: string
}

export const PEER_NAME = 'davit-peer'

/** Ways from one machine to another with the user's own keys, which stay in the agent on this machine. */
export interface DirectSsh {
  peerAt(address: string): Promise<SshPeer>
  /** Starts a script to which the agent is forwarded, over a connection of the user's OpenSSH. It has to end with its input. */
  runWithAgent(address: string, script: string): Promise<Channel>
}

export interface DirectSshOptions {
  readonly environment: Environment
  readonly directory?: string | undefined
}

export function directSsh(options: DirectSshOptions): DirectSsh {
  const ask = (address: string): Promise<SshConfiguration> =>
    askSsh(address, { ...options, role: 'target', defaults: () => askSshDefaults(options) })
  return {
    async peerAt(address) {
      const configuration = await ask(address)
      const { hostname, port, user, hostKeyNames } = configuration
      const keys = goodKeys(await knownHostsFor(configuration), hostKeyNames)
      if (keys.length === 0) throw noWay(`no host key of '${address}' is in the files of known hosts`)
      const knownHosts = keys.map(({ keyType, key }) => `${PEER_NAME} ${keyType} ${key.toString('base64')}\n`).join('')
      return { hostname, port, user, knownHosts }
    },
    async runWithAgent(address, script) {
      const { agent } = await ask(address)
      if (agent === undefined) throw noWay('there is no ssh agent to forward')
      return startSsh([...FORWARDING, ...sshArguments(address, { ...options, role: 'target' })], options, {
        address,
        script,
      })
    },
  }
}

/** ssh itself may accept less than davit, and never prompts. */
const FORWARDING: readonly string[] = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'ForwardAgent=yes',
  'ControlPath=none',
  'LogLevel=ERROR',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ConnectTimeout=20',
].flatMap((option) => ['-o', option])

async function startSsh(
  words: readonly string[],
  { environment, directory }: DirectSshOptions,
  running: CommandScript,
): Promise<Channel> {
  const command = await startCommand({
    argv: ['ssh', '-T', ...words, BOOTSTRAP_COMMAND],
    env: environment,
    ...(directory === undefined ? {} : { cwd: directory }),
  })
  return commandChannel(command, running, command.kill)
}

function noWay(reason: string): DavitError {
  return new DavitError('transfer-failed', reason)
}
