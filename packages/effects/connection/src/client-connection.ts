import type { ClientExecutable, Connection } from './channel.ts'

/** Makes a link to this machine that stands for the target of a client executable. */
export function clientConnection(local: Connection, { executable, address }: ClientExecutable): Connection {
  return { ...local, address, client: { executable, address } }
}
