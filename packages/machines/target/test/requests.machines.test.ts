import type { Span, Trace } from '@davit/diagnostics'
import { encodeField } from '@davit/target-runtime'
import { installedShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { openMachine } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

describe.each(installedShells())('on a machine with $name', (shell) => {
  test('its requests and channels are traced, with their sizes and without what they contain', async () => {
    const { connection } = await Scene.open(shell)
    const begun: Span[] = []
    const ended: unknown[] = []
    const trace: Trace = (span) => {
      begun.push(span)
      return (fields) => ended.push([span.name, fields])
    }
    const traced = await openMachine(async () => connection, { trace })
    await traced.request('observe', [encodeField('hush')])
    await (
      await traced.run('exit 0 # hush')
    ).exit
    traced.close()
    expect(begun.map(({ kind, name, place: where, fields }) => [kind, name, where, fields])).toEqual([
      ['helper', 'start helper', shell.name, { out: expect.any(Number) }],
      ['request', 'hello', shell.name, { out: 8 }],
      ['request', 'observe', shell.name, { out: 15 }],
      ['channel', 'open channel', shell.name, { out: 13 }],
    ])
    expect(ended).toEqual([
      ['start helper', undefined],
      ['hello', { in: expect.any(Number) }],
      ['observe', { in: expect.any(Number) }],
      ['open channel', undefined],
    ])
    expect(JSON.stringify([begun, ended])).not.toContain('hush')
  })

  test('requests that are made at once bring what they need once, and are all answered', async () => {
    const { connection } = await Scene.open(shell)
    const sizes: number[] = []
    const trace: Trace = ({ name, fields }) => {
      if (name === 'resolve' || name === 'read_profiles') sizes.push(Number(fields?.['out']))
      return () => {}
    }
    const traced = await openMachine(async () => connection, { trace })
    const answers = await Promise.all([
      traced.request('resolve', ['/nowhere']),
      traced.request('read_profiles', ['default', 't1']),
      traced.request('resolve', ['/nowhere']),
      traced.request('observe', ['default']),
    ])
    traced.close()
    expect(answers).toEqual([['module - -'], expect.any(Array), ['module - -'], expect.any(Array)])
    const [first = 0, second = 0, third = 0] = sizes
    expect([first > 500, second > 500, third < 50]).toEqual([true, true, true])
  })

  test.each(['../x', 'a/b', '-x', '$(touch', ''])('refuses the name %j', async (name) => {
    const { machine } = await Scene.open(shell)
    await expect(machine.request('observe', [name])).rejects.toMatchObject({
      code: expect.stringMatching(/bad-request|failed/),
    })
  })
})
