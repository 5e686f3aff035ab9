import type { Channel } from '@davit/connection'

import { type SilenceWatch, silentError, watchSilence } from './silence.ts'

export interface ChannelWatch extends SilenceWatch {
  /** Rejects when the other end has been silent for too long; the channel is closed then. */
  readonly silent: Promise<never>
}

export interface WatchedChannel {
  readonly address: string
  readonly seconds: number
  /** Whether it is the other end that is waited for: always, unless told. */
  readonly owes?: () => boolean
  /** See `Watched`. */
  readonly askForLife?: (watch: SilenceWatch) => void
}

/** Of a script that is to do something beside the helper. */
export function watchChannel(channel: Pick<Channel, 'close'>, watched: WatchedChannel): ChannelWatch {
  const { address, seconds, owes = () => true, askForLife = () => {} } = watched
  let giveUp: (error: unknown) => void = () => {}
  const silent = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  silent.catch(() => {})
  const watch = watchSilence({
    patience: () => seconds,
    askForLife: () => (owes() ? askForLife(watch) : watch.heard()),
    onSilence: () => {
      giveUp(silentError(address, seconds))
      channel.close()
    },
  })
  watch.heard()
  return { ...watch, silent }
}
