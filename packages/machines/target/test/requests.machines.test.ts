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

  test.each(['../x', 'a/b', '-x', '$(touch', ''])('refuses the name %j', async (name) => {
    const { machine } = await Scene.open(shell)
    await expect(machine.request('observe', [name])).rejects.toMatchObject({
      code: expect.stringMatching(/bad-request|failed/),
    })
  })
})
