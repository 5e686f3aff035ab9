import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { gatherWrites } from '../src/gather-writes.ts'

test('what is written at a time leaves at once, in order, and is confirmed', async () => {
  const left: string[][] = []
  const stream = gatherWrites(
    new Duplex({
      read() {},
      writev(chunks, done) {
        left.push(chunks.map(({ chunk }) => String(chunk)))
        done()
      },
      write(chunk, _, done) {
        left.push([String(chunk)])
        done()
      },
    }),
  )
  for (const round of ['a', 'b']) {
    await new Promise<void>((resolve, reject) => {
      for (const number of [1, 2]) stream.write(`${round}${number}`)
      stream.write(`${round}3`, (error) => (error ? reject(error) : resolve()))
    })
  }
  expect(left).toEqual([
    ['a1', 'a2', 'a3'],
    ['b1', 'b2', 'b3'],
  ])
})

test('the last words leave when the stream is ended at once', async () => {
  const left: string[] = []
  const write = (chunk: Buffer, _: unknown, done: () => void) => (left.push(String(chunk)), done())
  const stream = gatherWrites(new Duplex({ read() {}, write }))
  stream.write('last')
  stream.end(' words')
  await new Promise((resolve) => stream.once('finish', resolve))
  expect(left).toEqual(['last', ' words'])
})
