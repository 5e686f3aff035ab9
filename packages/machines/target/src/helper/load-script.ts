import type { Channel, Connection } from '@davit/connection'
import { loaded } from '@davit/target-runtime'

/** Starts a long script, which prints the marker before it reads any input. */
export async function loadScript(
  connection: Pick<Connection, 'run'>,
  script: string,
  marker: string,
): Promise<Channel> {
  const { loader, input } = loaded(script, marker)
  const channel = await connection.run(loader)
  channel.stdin.write(input)
  return channel
}
