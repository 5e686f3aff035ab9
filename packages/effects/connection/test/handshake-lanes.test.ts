import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { handshakeLanes } from '../src/handshake-lanes.ts'
import { limiter } from '../src/limiter.ts'

test('handshakeLanes() admits one at a time to a narrow server, even of those that were already waiting', async () => {
  const lanes = handshakeLanes(limiter(4))
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const handshakeWith = (server: string) =>
    lanes.run(server, async () => {
      running.set(server, (running.get(server) ?? 0) + 1)
      most.set(server, Math.max(most.get(server) ?? 0, running.get(server) ?? 0))
      for (let turn = 0; turn < 5; turn += 1) await tick()
      running.set(server, (running.get(server) ?? 0) - 1)
    })
  const dropped = lanes.run('a', async () => lanes.narrow('a'))
  await Promise.all([dropped, ...['a', 'a', 'a', 'a', 'a', 'b', 'b'].map(handshakeWith)])
  expect(Object.fromEntries(most)).toEqual({ a: 1, b: 2 })
})
