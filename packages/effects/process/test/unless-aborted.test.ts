import { getEventListeners } from 'node:events'

import { describe, expect, test } from 'vitest'

import { unlessAborted } from '../src/unless-aborted.ts'

const reason = new Error('stop now')
const never = new Promise<never>(() => {})

describe('unlessAborted()', () => {
  test('is what it waits for', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done')
    const failure = new Error('failed')
    await expect(unlessAborted(Promise.reject(failure), signal)).rejects.toBe(failure)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('gives up with the reason of the signal', async () => {
    const controller = new AbortController()
    const waiting = unlessAborted(never, controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  test('does not even begin to wait when the signal has aborted before, whatever has ended already', async () => {
    await expect(unlessAborted(Promise.resolve('done'), AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  test("hears nothing more of what it has given up: its failure is nobody's", async () => {
    const unheard: unknown[] = []
    const hear = (error: unknown) => void unheard.push(error)
    process.on('unhandledRejection', hear)
    try {
      for (const when of ['before', 'after']) {
        const controller = new AbortController()
        let fail: (error: Error) => void = () => {}
        const work = new Promise<never>((_, reject) => {
          fail = reject
        })
        if (when === 'before') controller.abort(reason)
        const waiting = unlessAborted(work, controller.signal)
        controller.abort(reason)
        await expect(waiting).rejects.toBe(reason)
        fail(new Error(`too late, aborted ${when}`))
        // Unhandled rejections are reported once everything else has been done.
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      process.off('unhandledRejection', hear)
    }
    expect(unheard).toEqual([])
  })

  test('may wait for many things under one signal', async () => {
    const controller = new AbortController()
    for (let count = 0; count < 20; count += 1) await unlessAborted(Promise.resolve(), controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})
