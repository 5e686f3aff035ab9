import type { Connection } from './channel.ts'
import { sshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'
import { sshLinks } from './ssh-links.ts'
import type { SshOptions } from './ssh-options.ts'

/** Connections over ssh by address. */
export interface SshPool {
  connect(address: string): Promise<Connection>
  close(): Promise<void>
}

/** Connections over links of this process. */
export function sshPool(options: SshOptions): SshPool {
  const links = sshLinks(options)
  const connections = new WeakMap<SshLink, Connection>()
  return {
    async connect(address) {
      const link = await links.link(address)
      const connection = connections.get(link) ?? sshConnection(link)
      connections.set(link, connection)
      return connection
    },
    close: () => links.close(),
  }
}
