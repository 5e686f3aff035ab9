import type { Channel, Connection } from '@davit/connection'
import { loaded, type Role } from '@davit/target-runtime'

export interface ScriptToStart {
  readonly script: string
  readonly marker: string
  /** Whether it leaves the login session, since what it starts outlives it. */
  readonly session?: 'stay' | 'leave'
}

/** Helpers that call modules, or look at what would become of what these start. */
const STARTING: ReadonlySet<Role> = new Set(['deploy', 'state', 'trial', 'query', 'logs', 'check'])

/** Whether helpers of a role leave the login session. */
export function sessionOf(role: Role): 'stay' | 'leave' {
  return STARTING.has(role) ? 'leave' : 'stay'
}

/** Starts a long script, which prints the marker before it reads any input. */
export async function loadScript(
  connection: Pick<Connection, 'run'>,
  { script, marker, session }: ScriptToStart,
): Promise<Channel> {
  const { loader, input } = loaded(script, marker, session)
  const channel = await connection.run(loader)
  channel.stdin.write(input)
  return channel
}
