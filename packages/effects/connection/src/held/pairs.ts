import type { Socket } from 'node:net'

/** Brings the two sockets of a channel together, whichever comes first. One that remains alone is closed after a while. */
export interface Pairs {
  give(channel: string, data: Socket): void
  take(channel: string): Promise<Socket | undefined>
}

export function pairs(milliseconds: number): Pairs {
  const given = new Map<string, Socket>()
  const takers = new Map<string, (data: Socket | undefined) => void>()
  const later = (act: () => void): void => void setTimeout(act, milliseconds).unref()
  return {
    give(channel, data) {
      const taker = takers.get(channel)
      if (taker !== undefined) return taker(data)
      given.set(channel, data)
      later(() => {
        if (given.get(channel) === data && given.delete(channel)) data.destroy()
      })
    },
    take(channel) {
      const data = given.get(channel)
      given.delete(channel)
      if (data !== undefined) return Promise.resolve(data)
      return new Promise((resolve) => {
        const settle = (found: Socket | undefined): void => {
          takers.delete(channel)
          resolve(found)
        }
        takers.set(channel, settle)
        later(() => settle(undefined))
      })
    },
  }
}
