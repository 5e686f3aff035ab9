import type { Connection } from './channel.ts'
import { clientConnection } from './client-connection.ts'
import { HOLDER_VARIABLE, heldPool } from './held/held-pool.ts'
import { type ConnectionRequest, onlyHop, requestKey } from './hops.ts'
import { openLocal } from './open-local.ts'
import type { SshOptions } from './ssh-options.ts'
import { sshPool } from './ssh-pool.ts'

export interface ConnectionPool {
  /**
   * Returns the connection to a machine: the same one for all addresses of the same account there, and a new one after a
   * loss.
   */
  connect(request: ConnectionRequest): Promise<Connection>
  close(): Promise<void>
}

/** Connections of this process, or of the davit-connect that the environment names. */
export function connectionPool(options: SshOptions): ConnectionPool {
  const { [HOLDER_VARIABLE]: holder = '', ...environment } = options.environment
  // What runs here in the role of a target must not have the user's connections.
  const local = openLocal({ environment })
  const own = sshPool(options)
  const remote = holder === '' ? own : heldPool(holder, options, own)
  const clients = new Map<string, Connection>()
  return {
    async connect(request) {
      const hop = onlyHop(request)
      if (hop.kind === 'local') return local
      if (hop.kind === 'ssh') return remote.connect([hop])
      const key = requestKey(request)
      const connection = clients.get(key) ?? clientConnection(local, hop)
      clients.set(key, connection)
      return connection
    },
    async close() {
      await Promise.all([local.close(), remote.close()])
    },
  }
}
