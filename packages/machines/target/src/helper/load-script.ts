import type { Channel, Connection } from '@davit/connection'
import { loaded } from '@davit/target-runtime'

export interface ScriptToStart {
  readonly script: string
  readonly marker: string
  /** Whether it leaves the login session, since what it starts outlives it. */
  readonly session?: 'stay' | 'leave'
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
