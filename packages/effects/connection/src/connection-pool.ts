import type { Connection } from './channel.ts'
import { openLocal } from './open-local.ts'
import { sshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'
import { sshLinks } from './ssh-links.ts'
import type { SshOptions } from './ssh-options.ts'

export type ConnectionRequest = { readonly kind: 'local' } | { readonly kind: 'ssh'; readonly address: string }

export interface ConnectionPool {
  /**
   * Returns the connection to a machine: the same one for all addresses of the same account there, and a new one after a
   * loss.
   */
  connect(request: ConnectionRequest): Promise<Connection>
  close(): Promise<void>
}

export function connectionPool(options: SshOptions): ConnectionPool {
  const local = openLocal(options)
  const links = sshLinks(options)
  const connections = new WeakMap<SshLink, Connection>()
  return {
    async connect(request) {
      if (request.kind === 'local') return local
      const link = await links.link(request.address)
      const connection = connections.get(link) ?? sshConnection(link)
      connections.set(link, connection)
      return connection
    },
    async close() {
      await Promise.all([local.close(), links.close()])
    },
  }
}
