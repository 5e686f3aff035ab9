import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

import type { OperationName } from '@davit/target-runtime'
import { expect, test } from 'vitest'

import { requestsTo } from '../src/helper/requests.ts'

/** A helper for which these operations have to be defined. */
function helperWith(definitions: Partial<Record<OperationName, string>>) {
  const stdin = new PassThrough({ encoding: 'utf8' })
  const left = new Map(Object.entries(definitions))
  const define = (name: OperationName) => {
    const text = left.get(name) ?? ''
    left.delete(name)
    return text
  }
  let written = 0
  const requests = requestsTo(stdin, { define, written: () => (written += 1) })
  return { requests, read: () => (stdin.read() ?? '') as string, written: () => written, stdin }
}

test('the first request for an operation comes with what that needs, and later ones without', () => {
  const { requests, read } = helperWith({ log: 'ä() {\n:\n}\n' })
  expect(requests.send('1', ['log', 'a', 'b'])).toBe('define 17 1 log a b\nä() {\n:\n}\n# end\n'.length)
  expect(read()).toBe('define 17 1 log a b\nä() {\n:\n}\n# end\n')
  requests.answered('1')
  requests.send('2', ['log', 'c'])
  expect(read()).toBe('2 log c\n')
})

test('what follows a definition waits until an answer shows that it was read, and keeps its order', async () => {
  const { requests, read, written } = helperWith({ log: 'a\n', observe: 'b\n' })
  requests.send('1', ['lock_state', 'x'])
  requests.send('2', ['log'])
  requests.send('3', ['lock_state', 'y'])
  requests.send('4', ['observe', 'z'])
  requests.send('5', ['log'])
  expect(read()).toBe('1 lock_state x\ndefine 8 2 log\na\n# end\n')
  requests.answered('1')
  expect(read()).toBe('')
  requests.answered('2')
  expect(read()).toBe('3 lock_state y\ndefine 8 4 observe z\nb\n# end\n')
  requests.answered('4')
  requests.answered('4')
  expect(read()).toBe('5 log\n')
  await setImmediate()
  expect(written()).toBe(5)
})

test('the input of a helper ends after the requests that wait', () => {
  const { requests, read, stdin } = helperWith({ log: 'a\n' })
  requests.send('1', ['log'])
  requests.send('2', ['log'])
  requests.end()
  read()
  expect(stdin.writableEnded).toBe(false)
  requests.answered('1')
  expect(read()).toBe('2 log\n')
  expect(stdin.writableEnded).toBe(true)
})
