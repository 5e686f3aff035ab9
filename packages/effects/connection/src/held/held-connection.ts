import { DavitError } from '@davit/diagnostics'
import type { Channel, Connection } from '../channel.ts'
import { requestText } from '../hops.ts'
import type { SshPool } from '../ssh-pool.ts'
import { type LinkReference, openHeldChannel } from './held-channel.ts'
import { HolderGone } from './holder-gone.ts'

/** A connection over a link that a holder has. Closing it closes only the channels of this tool. */
export interface HeldConnection extends Connection {
  /** Says that the link is lost. */
  lose(error: Error): void
}

/** Scripts that cannot be started through the holder, as its socket is gone, run over the tool's `own` connections. */
export function heldConnection(reference: LinkReference, own: SshPool): HeldConnection {
  const { request } = reference
  const channels = new Set<Channel>()
  let lose = (_error: Error): void => {}
  const lost = new Promise<DavitError>((resolve) => {
    lose = (error) => {
      if (error instanceof DavitError) resolve(error)
    }
  })
  return {
    address: requestText(request),
    lost,
    lose,
    async run(script) {
      try {
        const channel = await openHeldChannel(reference, script)
        channels.add(channel)
        void channel.over.then(() => channels.delete(channel))
        return channel
      } catch (error) {
        if (!(error instanceof HolderGone)) throw error
        return (await own.connect(request)).run(script)
      }
    },
    async close() {
      for (const channel of channels) channel.close()
    },
  }
}
