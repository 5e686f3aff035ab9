import type { Connection } from './channel.ts'
import { onlyHop, type SshRequest } from './hops.ts'
import { sshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'
import { sshLinks } from './ssh-links.ts'
import type { SshOptions } from './ssh-options.ts'

/** Connections that begin with ssh. */
export interface SshPool {
  connect(request: SshRequest): Promise<Connection>
  close(): Promise<void>
}

/** Connections over links of this process. */
export function sshPool(options: SshOptions): SshPool {
  const links = sshLinks(options)
  const connections = new WeakMap<SshLink, Connection>()
  return {
    async connect(request) {
      const link = await links.link(onlyHop(request).address)
      const connection = connections.get(link) ?? sshConnection(link)
      connections.set(link, connection)
      return connection
    },
    close: () => links.close(),
  }
}
