import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, onTestFinished, test } from 'vitest'
import { HOLDER_VARIABLE, isHolderThere } from '../src/connection.ts'

test('a holder is not looked for where its path is not absolute', async () => {
  const directory = join(scratchDirectory(), 'd')
  mkdirSync(directory, { mode: 0o700 })
  let calls = 0
  const server = createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  const socket = join(directory, 's')
  await new Promise<void>((resolve) => void server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  const place = relative('.', socket)
  expect(await isHolderThere({ [HOLDER_VARIABLE]: place })).toBe(false)
  expect(calls).toBe(0)
})
