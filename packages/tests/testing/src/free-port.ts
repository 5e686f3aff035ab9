import { once } from 'node:events'
import { createServer } from 'node:net'

/** Of this number of ports, none is ever given to who asks for any, or connects to somebody: nobody takes it meanwhile. */
const FIRST = 10_000
const PORTS = 20_000

/** A port of the loopback interface on which nobody listens, and will not by chance. */
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
