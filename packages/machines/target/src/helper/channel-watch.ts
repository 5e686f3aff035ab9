import type { Channel } from '@davit/connection'

import { type SilenceWatch, silentError, watchSilence } from './silence.ts'

export interface ChannelWatch extends SilenceWatch {
  /** Rejects when the other end has been silent for too long; the channel is then closed. */
  readonly silent: Promise<never>
}

export interface WatchedChannel {
  readonly address: string
  readonly seconds: number
  /** Whether the other end has to send or read something now; by default always. */
  readonly owes?: () => boolean
  /** See `Watched`. */
  readonly askForLife?: (watch: SilenceWatch) => void
}

/** A channel that is closed when the signal comes. */
export interface AbortableChannel extends WatchedChannel {
  readonly signal: AbortSignal
}

/** Uses a channel for as long as the other end is not silent, and the signal has not come. */
export async function whileWatched<Result>(
  channel: Pick<Channel, 'close'>,
  { signal, ...watched }: AbortableChannel,
  use: (watch: SilenceWatch) => Promise<Result>,
): Promise<Result> {
  const watch = watchChannel(channel, watched)
  const stop = () => channel.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([use(watch), watch.silent])
  } catch (error) {
    // Closing the channel is then only a consequence.
    signal.throwIfAborted()
    throw error
  } finally {
    watch.stop()
    signal.removeEventListener('abort', stop)
  }
}

/** Watches the channel of a script that runs parallel to the helper. */
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
