import { DavitError } from '@davit/diagnostics'
import type { Channel, Connection } from '../channel.ts'
import { type LinkReference, openHeldChannel } from './held-channel.ts'

/** A connection over a link that a holder has. Closing it closes only the channels of this tool. */
export interface HeldConnection extends Connection {
  /** Says that the link is lost. */
  lose(error: Error): void
}

export function heldConnection(reference: LinkReference): HeldConnection {
  const channels = new Set<Channel>()
  let lose = (_error: Error): void => {}
  const lost = new Promise<DavitError>((resolve) => {
    lose = (error) => {
      if (error instanceof DavitError) resolve(error)
    }
  })
  return {
    kind: 'ssh',
    address: reference.address,
    lost,
    lose,
    async run(script) {
      const channel = await openHeldChannel(reference, script)
      channels.add(channel)
      void channel.over.then(() => channels.delete(channel))
      return channel
    },
    async close() {
      for (const channel of channels) channel.close()
    },
  }
}
