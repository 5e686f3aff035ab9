import { type DavitError, TRACE_VARIABLE } from '@davit/diagnostics'
import { type Environment, startCommand } from '@davit/process'
import { TARGET_PATH } from './bootstrap.ts'
import type { Channel, Connection } from './channel.ts'
import { connectionsClosing } from './channel-exit.ts'
import { commandChannel } from './command-channel.ts'
import { localStart } from './local-start.ts'

/** Opens a connection to this machine. Its scripts find the user's own programs too, after those that any target has. */
export function openLocal(options: { readonly environment: Environment }): Connection {
  // What runs here in the role of a target is not part of the run.
  const { [TRACE_VARIABLE]: _, ...environment } = options.environment
  const path = [TARGET_PATH, environment['PATH']].filter(Boolean).join(':')
  const env = { ...environment, PATH: path, LC_ALL: 'C' }
  const channels = new Set<Channel>()
  let isClosed = false
  return {
    address: 'local',
    async run(script) {
      if (isClosed) throw connectionsClosing()
      const channel = await startScript(script, env)
      if (isClosed) channel.close()
      channels.add(channel)
      void channel.exit.catch(() => {}).then(() => channels.delete(channel))
      return channel
    },
    lost: new Promise<DavitError>(() => {}),
    async close() {
      isClosed = true
      for (const channel of channels) channel.close()
    },
  }
}

async function startScript(script: string, env: Environment): Promise<Channel> {
  // As under sshd, a script notices by its streams that davit is gone; it is never signalled.
  const command = await startCommand({ argv: localStart(), env, atExit: 'leave' })
  return commandChannel(command, { script, address: 'local' })
}
