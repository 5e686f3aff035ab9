import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { relayChannel } from '../src/held/relay-channel.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-relay-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Two ends of a unix connection: that of the tool, and that of the holder. */
async function ends(): Promise<readonly [tool: Socket, holder: Socket]> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(join(directory, 'socket'))
  await once(server, 'listening')
  const tool = connect({ path: join(directory, 'socket'), allowHalfOpen: true })
  const [holder] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [tool, holder]
}

test('relayChannel() gives the script what the tool wrote before it went away, and then closes the channel', async () => {
  const [[control, heldControl], [data, heldData]] = [await ends(), await ends()]
  let taken = ''
  let release = (): void => {}
  const stdin = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      taken += String(chunk)
      release = done
    },
  })
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const closed = new Promise<string>((resolve) => {
    const channel = { stdin, stdout, stderr, exit: new Promise<number>(() => {}), close: () => resolve(taken) }
    void relayChannel(channel, heldControl, heldData)
  })
  data.write('one ')
  await until(() => expect(taken).toBe('one '))
  data.end('two')
  control.end()
  await once(heldControl, 'end')
  release()
  await until(() => expect(taken).toBe('one two'))
  release()
  expect(await closed).toBe('one two')
  for (const socket of [control, data]) socket.destroy()
})
