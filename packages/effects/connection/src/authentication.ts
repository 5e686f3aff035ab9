import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { AnyAuthMethod, BaseAgent, IdentityCallback, ParsedKey } from 'ssh2'
import type { Identities } from './identities.ts'
import { loadSsh2 } from './load-ssh2.ts'
import type { SshConfiguration } from './ssh-configuration.ts'
import { sshCommand } from './ssh-error.ts'

export interface Authentication {
  /** Returns the next method to try, or false if none is left; `offered` is what the server accepts, once it is known. */
  next(offered: readonly string[] | null): AnyAuthMethod | false
  /** Error for when every method failed: names what was tried. */
  failure(reason?: string): DavitError
}

/** Authenticates with keys only: those of the agent first, then those in files. */
export async function authentication(configuration: SshConfiguration, identities: Identities): Promise<Authentication> {
  const { user: username } = configuration
  const ways: AnyAuthMethod[] = [{ type: 'none', username }]
  if (identities.agent !== undefined && identities.agent.keys.length > 0) {
    ways.push({ type: 'agent', username, agent: await agentWith(identities.agent) })
  }
  ways.push(...identities.keys.map(({ key }): AnyAuthMethod => ({ type: 'publickey', username, key })))
  let accepted: readonly string[] = []
  return {
    next(offered) {
      if (offered !== null) accepted = offered
      return ways.shift() ?? false
    },
    failure: (reason) => authenticationFailure(configuration, identities, reason ?? acceptedWays(accepted)),
  }
}

function acceptedWays(accepted: readonly string[]): string | undefined {
  return accepted.length === 0 || accepted.includes('publickey') ? undefined : `it accepts only ${accepted.join(', ')}`
}

function authenticationFailure(
  configuration: SshConfiguration,
  { agent, keys, problems }: Identities,
  reason: string | undefined,
): DavitError {
  const { address, user, hostname } = configuration
  const agentKeys = agent?.keys.length ?? 0
  const ofAgent = agentKeys > 0 ? [`${agentKeys} ${agentKeys === 1 ? 'key' : 'keys'} of the agent`] : []
  const tried = [...ofAgent, ...keys.map(({ file }) => `'${file}'`)]
  const what = tried.length > 0 ? `tried ${tried.join(', ')}` : 'no key to try'
  const details = [reason, what, ...problems].filter((detail) => detail !== undefined)
  return new DavitError(
    'authentication-failed',
    `cannot log in to '${address}' as ${user}@${hostname}: ${details.join('; ')}`,
    {
      exitStatus: ExitStatus.permission,
      hint: `make '${sshCommand(configuration)}' work without prompts: add a key to the agent, or name one with IdentityFile`,
    },
  )
}

/** The agent, limited to some of its keys and in their order. */
async function agentWith(agent: { readonly socket: string; readonly keys: readonly ParsedKey[] }): Promise<BaseAgent> {
  const { OpenSSHAgent } = await loadSsh2()
  class ChosenKeys extends OpenSSHAgent {
    override getIdentities(callback: IdentityCallback<ParsedKey>): void {
      callback(null, [...agent.keys])
    }
  }
  return new ChosenKeys(agent.socket)
}
