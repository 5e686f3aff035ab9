import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

export interface MeetingPoint {
  readonly port: number
  /** The largest number of clients that waited at the same time. */
  readonly most: () => number
  close(): Promise<void>
}

/** Opens a server on which clients wait until `count` of them have connected. Then it sends `go` to each. */
export async function openMeetingPoint(address: string, count: number): Promise<MeetingPoint> {
  const waiting = new Set<Socket>()
  let most = 0
  const server = createServer((socket) => {
    waiting.add(socket)
    most = Math.max(most, waiting.size)
    socket.on('error', () => {})
    socket.on('close', () => waiting.delete(socket))
    if (waiting.size >= count) for (const other of waiting) other.end('go\n')
  })
  server.listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  return {
    port,
    most: () => most,
    async close() {
      for (const socket of waiting) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
