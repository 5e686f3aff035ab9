import type { Socket } from 'node:net'
import { encodeLine } from './protocol.ts'

export interface AnswerWatch {
  /** Call it with each answer. */
  heard(): void
  /** Asks for signs of life until the promise settles, and destroys the socket when there are none. */
  during<Value>(promise: Promise<Value>): Promise<Value>
  isSilent(): boolean
  stop(): void
}

/** A holder answers at once, unless it was stopped. */
const ANSWER_MILLISECONDS = 5_000

export function watchAnswers(socket: Socket): AnswerWatch {
  let waiting = 0
  let isOwed = false
  let isSilent = false
  const look = (): void => {
    if (waiting === 0) return
    if (isOwed) {
      isSilent = true
      socket.destroy()
    } else if (socket.writable) socket.write(encodeLine({ kind: 'ping' }))
    isOwed = true
  }
  const timer = setInterval(look, ANSWER_MILLISECONDS)
  return {
    heard() {
      isOwed = false
    },
    async during(promise) {
      waiting += 1
      try {
        return await promise
      } finally {
        waiting -= 1
        if (waiting === 0) isOwed = false
      }
    },
    isSilent: () => isSilent,
    stop: () => clearInterval(timer),
  }
}
