import { SLOW } from '@davit/target-runtime'

import { type ChannelWatch, watchChannel } from '../helper/channel-watch.ts'
import type { NixChannel, ScriptPlace } from './channel.ts'
import { onMachine } from './errors.ts'

/** What goes to and fro between us and the Nix of a machine; it is given up when it is owed to us and does not come. */
export interface Flow {
  /** An answer that is due; its errors name the machine. */
  named<Answer>(answer: Promise<Answer>): Promise<Answer>
  /** The same, and there is no telling when it comes. */
  patiently<Answer>(answer: Promise<Answer>): Promise<Answer>
  /** Passes on what we send, and must have first: meanwhile nothing is due. */
  fromHere(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  stop(): void
}

export function watchFlow({ address, answerSeconds }: ScriptPlace, channel: NixChannel): Flow {
  const waits: Waits = { due: 0, delays: 0 }
  const isMoving = movementOf(channel)
  // A store may be locked for a while, as during a collection of garbage, and writes what it has got at the end.
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
  /** Answers for which somebody waits. */
  due: number
  /** Reasons for which none can be expected now. */
  delays: number
}

/** Whether something has left since it was asked last, or waits to be read by us. */
function movementOf({ stdin, stdout }: NixChannel): () => boolean {
  let unsent = 0
  return () => {
    const before = unsent
    unsent = stdin.writableLength
    return unsent !== before || stdout.readableLength > 0
  }
}

/** No race with the one promise of the watch: that would remember every answer for as long as the channel lives. */
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
