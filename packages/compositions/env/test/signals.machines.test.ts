import { sampleOf } from '@davit/testing/effort'
import { describe, expect, test } from 'vitest'

import { davitEnv, MODELS } from './scene.ts'

describe('davit-env', () => {
  const { hanging, nothingLeft, run, start, trace } = davitEnv()

  test.each(sampleOf<NodeJS.Signals>(['SIGQUIT', 'SIGALRM', 'SIGUSR1', 'SIGUSR2'], 1))(
    'leaves nothing behind after %s, nor does the step that was under way',
    async (signal) => {
      const { child, ended } = start(MODELS, { HANG: 'normalize' })
      await hanging()
      child.kill(signal)
      expect(await ended).toMatchObject({ status: 143 })
      expect(trace().at(-1)).toBe('stopped')
      nothingLeft()
    },
  )

  const handed: readonly (readonly [string, NodeJS.Signals, number])[] = [
    ['normalize', 'SIGTERM', 143],
    ['delegate-build', 'SIGINT', 130],
    ['distribute', 'SIGHUP', 129],
    ['lock', 'SIGTERM', 143],
    ['activate', 'SIGTERM', 143],
    ['activate', 'SIGINT', 130],
    ['set', 'SIGTERM', 143],
  ]
  test.each(sampleOf(handed, 3))(
    'hands signals on to %s (%s) and waits until it has ended',
    async (name, signal, status) => {
      const { child, ended } = start([...MODELS, '--build-on-targets'], { HANG: name })
      await hanging()
      child.kill(signal)
      const { status: ends, stderr } = await ended
      expect(ends).toBe(status)
      expect(stderr.match(/^.*: finishing what is running; .*$/gm)).toHaveLength(1)
      expect(stderr).toContain(`\ndavit-${name}: `)
      expect(trace().at(-1)).toBe(['activate', 'set'].includes(name) ? 'unlock' : 'stopped')
      nothingLeft()
    },
  )

  test.each([
    ['activate', 'set'],
    ['distribute', 'lock'],
  ])('begins nothing after %s that was interrupted and had nothing to undo', async (name, next) => {
    const { child, ended } = start(MODELS, { HANG: name, STOPPED: '1' })
    await hanging()
    child.kill('SIGTERM')
    const { status, stderr } = await ended
    expect([status, stderr]).toEqual([
      143,
      expect.stringContaining(
        `davit-env: interrupted before davit-${next} [interrupted]\nhint: the same command continues from there\n`,
      ),
    ])
    expect(
      trace()
        .filter((line) => !line.startsWith('unlock'))
        .at(-1),
    ).toBe('stopped')
  })

  test('names the signal in its status, whatever the step was told', async () => {
    const { child, ended } = start([...MODELS, '--log-format=json'], { HANG: 'activate', STOPPED: '1' })
    await hanging()
    child.kill('SIGQUIT')
    const { status, stderr } = await ended
    const said = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(status).toBe(131)
    expect(said.at(-1)).toMatchObject({ tool: 'davit-env', code: 'interrupted', before: 'davit-set', exitStatus: 131 })
  })

  test('succeeds if the last step did in spite of a signal', async () => {
    const { child, ended } = start(MODELS, { HANG: 'set', STOPPED: '1' })
    await hanging()
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ status: 0 })
    expect(trace().slice(-2)).toEqual(['stopped', 'unlock'])
  })

  test('ends the steps under a lock that is lost', async () => {
    const { status, stderr } = await run(MODELS, { HANG: 'activate', LOST: '1' })
    expect([status, stderr]).toEqual([143, expect.stringContaining('davit-activate: terminated by SIGTERM')])
    expect(trace().slice(-2)).toEqual(['stopped', 'unlock'])
  })

  test.each(['normalize', 'distribute', 'activate'])('reports a bug under the name of %s', async (name) => {
    const { status, stderr } = await run(MODELS, { BUG: name })
    expect([status, stderr]).toEqual([70, expect.stringMatching(`^davit-${name}: internal error, please report it: `)])
    nothingLeft()
  })
})
