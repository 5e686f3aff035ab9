import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { abandon } from '../src/ssh-link.ts'

/** How much of what was written arrives at an end that reads only after the other one has given the stream up. */
async function arrivingAfter(giveUp: (socket: Socket) => void): Promise<number> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[other]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown]
  socket.write(Buffer.alloc(64 * 1024 * 1024))
  giveUp(socket)
  let size = 0
  other.on('error', () => {}).on('data', (chunk: Buffer) => (size += chunk.length))
  const closed = once(other, 'close')
  other.resume()
  await closed
  server.close()
  return size
}

test('abandon() sends nothing any more of what the other end has not received', async () => {
  const ordinary = await arrivingAfter((socket) => void socket.destroy())
  expect(await arrivingAfter(abandon)).toBeLessThan(ordinary)
})

test('abandon() closes a stream that is no socket', () => {
  const stream = new PassThrough()
  abandon(stream)
  expect(stream.destroyed).toBe(true)
})
