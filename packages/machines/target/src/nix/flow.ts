import { SLOW } from '@davit/target-runtime'

import { type ChannelWatch, watchChannel } from '../helper/channel-watch.ts'
import type { NixChannel, ScriptPlace } from './channel.ts'
import { onMachine } from './errors.ts'

/** Watches the data exchanged with the Nix of a machine, and fails if something is due and does not come. */
export interface Flow {
  /** Awaits an answer that is due; its errors name the machine. */
  named<Answer>(answer: Promise<Answer>): Promise<Answer>
  /** Awaits an answer that may take any time; its errors name the machine. */
  patiently<Answer>(answer: Promise<Answer>): Promise<Answer>
  /** Passes on chunks to send. While the next one is not available here, nothing is due from the machine. */
  fromHere(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  stop(): void
}

export function watchFlow({ address, answerSeconds }: ScriptPlace, channel: NixChannel): Flow {
  const waits: Waits = { due: 0, delays: 0 }
  const isMoving = movementOf(channel)
  // A store may be locked for a while, for example by a garbage collection, and writes what it received only at the end.
  const watch = watchChannel(channel, {
    address,
    seconds: SLOW * answerSeconds,
    owes: () => waits.due > 0 && waits.delays === 0 && !isMoving(),
  })
  const unlessSilent = rejectedBy(watch)
  const during = async <Answer>(wait: keyof Waits, work: () => Promise<Answer>): Promise<Answer> => {
    waits[wait] += 1
    watch.heard()
    try {
      return await work()
    } finally {
      waits[wait] -= 1
      watch.heard()
    }
  }
  const naming = (error: unknown) => Promise.reject(onMachine(address, error))
  return {
    named: (answer) => during('due', () => unlessSilent(answer)).catch(naming),
    patiently: (answer) => during('delays', () => answer).catch(naming),
    async *fromHere(chunks) {
      const iterator = chunks[Symbol.asyncIterator]()
      const next = () => during('delays', () => iterator.next())
      try {
        for (let one = await next(); one.done !== true; one = await next()) yield one.value
      } finally {
        await iterator.return?.()
      }
    },
    stop: () => watch.stop(),
  }
}

interface Waits {
  /** Number of answers that are awaited. */
  due: number
  /** Number of reasons why none of them can be expected now. */
  delays: number
}

/** Returns a function that tells whether something was sent since its last call, or waits to be read here. */
function movementOf({ stdin, stdout }: NixChannel): () => boolean {
  let unsent = 0
  return () => {
    const before = unsent
    unsent = stdin.writableLength
    return unsent !== before || stdout.readableLength > 0
  }
}

/** Avoids `Promise.race` with the promise of the watch, which would keep every answer in memory as long as the channel lives. */
function rejectedBy({ silent }: ChannelWatch): <Answer>(answer: Promise<Answer>) => Promise<Answer> {
  const waiting = new Set<(error: unknown) => void>()
  silent.catch((error: unknown) => {
    for (const giveUp of waiting) giveUp(error)
  })
  return (answer) =>
    new Promise((resolve, reject) => {
      waiting.add(reject)
      void answer.then(resolve, reject).finally(() => waiting.delete(reject))
    })
}
