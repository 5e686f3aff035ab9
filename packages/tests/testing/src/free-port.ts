import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ephemeral ports, which the system assigns: nobody takes a free one by chance. */
const FIRST = 10_000
const PORTS = 20_000

/** Returns a port of the loopback interface that is not in use, and will not be by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
}
