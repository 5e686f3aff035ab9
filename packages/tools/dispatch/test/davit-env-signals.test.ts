import { existsSync, rmSync } from 'node:fs'

import { describe, expect, test, vi } from 'vitest'

import { davitEnvIn, MODELS, shells } from './davit-env-scene.ts'

describe.each(shells)('davit-env in %s', (...shell) => {
  const { nothingLeft, path, start, trace } = davitEnvIn(shell)

  test.each<NodeJS.Signals>(['SIGQUIT', 'SIGPIPE', 'SIGALRM', 'SIGUSR1', 'SIGUSR2'])(
    'leaves nothing behind after %s, nor does the step that was under way',
    async (signal) => {
      const { child, ended } = start(MODELS, { HANG: 'manifest' })
      await vi.waitFor(() => expect(existsSync(path('trace.hanging'))).toBe(true), { timeout: 40_000 })
      child.kill(signal)
      expect(await ended).toMatchObject({ status: 143 })
      expect(trace().at(-1)).toBe('stopped')
      nothingLeft()
    },
  )

  test.each<[string, NodeJS.Signals, number]>([
    ['normalize', 'SIGTERM', 143],
    ['delegate-build', 'SIGINT', 130],
    ['distribute', 'SIGINT', 130],
    ['activate', 'SIGTERM', 143],
    ['activate', 'SIGINT', 130],
    ['set', 'SIGTERM', 143],
  ])('hands signals on to %s (%s) and waits until it has ended', async (name, signal, status) => {
    const { child, ended } = start([...MODELS, '--build-on-targets'], { HANG: name })
    await vi.waitFor(() => expect(existsSync(path('trace.hanging'))).toBe(true), { timeout: 40_000 })
    child.kill(signal)
    expect(await ended).toMatchObject({ status })
    const last = ['activate', 'set'].includes(name) ? ['unlock'] : []
    const stopped = signal === 'SIGINT' ? 'interrupted' : 'stopped'
    expect(trace().slice(-1 - last.length)).toEqual([stopped, ...last])
    nothingLeft()
  })

  test('tells how a step ended that had something to undo, and begins nothing after one that had not', async () => {
    for (const [stopped, expected] of [
      ['2', 2],
      ['0', 143],
    ] as const) {
      rmSync(path('trace.hanging'), { force: true })
      const { child, ended } = start([...MODELS, '--no-lock'], { HANG: 'activate', STOPPED: stopped })
      await vi.waitFor(() => expect(existsSync(path('trace.hanging'))).toBe(true), { timeout: 40_000 })
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ status: expected })
      expect(trace().at(-1)).toBe('stopped')
    }
  })
})
