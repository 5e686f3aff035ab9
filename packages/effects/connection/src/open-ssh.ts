import type { Connection } from './channel.ts'
import { sshConnection } from './ssh-connection.ts'
import { sshLinks } from './ssh-links.ts'
import type { SshOptions } from './ssh-options.ts'

/** Opens one connection, as the user's OpenSSH would; the links to jump hosts end with it. */
export async function openSsh(address: string, options: SshOptions): Promise<Connection> {
  const links = sshLinks(options)
  try {
    return { ...sshConnection(await links.link(address)), close: () => links.close() }
  } catch (error) {
    await links.close()
    throw error
  }
}
