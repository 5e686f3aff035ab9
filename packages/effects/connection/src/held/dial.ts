import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { systemErrorCode } from '@davit/files'

/** How often a holder is tried that has no room for another visitor at this moment. */
const ATTEMPTS = 100
const PAUSE_MILLISECONDS = 50

/** Connects to a unix socket whose other end may close its half alone. Later errors show in the end of the socket. */
export async function dial(path: string): Promise<Socket> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await dialOnce(path)
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN' || tried === ATTEMPTS) throw error
    }
    await delay(PAUSE_MILLISECONDS)
  }
}

function dialOnce(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true })
    socket.once('connect', () => resolve(socket)).on('error', reject)
  })
}
