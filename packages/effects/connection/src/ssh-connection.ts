import type { Connection } from './channel.ts'
import { openSshChannel } from './ssh-channel.ts'
import type { SshLink } from './ssh-link.ts'

export function sshConnection(link: SshLink): Connection {
  return {
    address: link.configuration.address,
    run: (script) => openSshChannel(link, script),
    lost: link.lost,
    close: () => link.close(),
  }
}
