import { DavitError } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { describe, expect, test, vi } from 'vitest'

import { openHelper } from '../src/helper/helper.ts'
import { observeMappings, openMachine, performActivity } from '../src/target.ts'
import { connectionTo, type FarEnd, honest, lying } from './far-end.ts'

describe('openHelper()', () => {
  test('passes over what a login shell prints, with or without a newline at its end', async () => {
    const helper = await openHelper(
      connectionTo({ greeting: 'Welcome!\n1 + forged\nno newline', answer: honest('ID + yes', 'ID =') }),
    )
    expect(await helper.request('hello', [])).toEqual(['yes'])
  })

  test.each([
    ['printed something', 'This account is not available\n', " and printed 'This account is not available'"],
    ['printed nothing', '', ''],
    ['printed very much', `${'x'.repeat(1000)}\n`, ` and printed '${'x'.repeat(300)}'`],
  ])('names a login shell that %s and runs no command', async (_, greeting, printed) => {
    const connection = connectionTo({ greeting, answer: (__, far) => far.end(1) })
    await expect(openHelper(connection)).rejects.toMatchObject({
      code: 'no-shell',
      exitStatus: 77,
      message: `the login shell on 'far' ran no command: it ended with status 1${printed}`,
    })
    expect(connection.closed()).toBe(true)
  })

  test('gives up on a login shell that prints endlessly', async () => {
    const connection = connectionTo({ greeting: 'y\n'.repeat(2_001), answer: () => {} })
    await expect(openHelper(connection)).rejects.toMatchObject({ code: 'no-answer', exitStatus: 69 })
    expect(connection.closed()).toBe(true)
  })
})

describe('a helper', () => {
  test.each([
    ['a line without end', (far: FarEnd) => far.print('x'.repeat(17 * 1024 * 1024)), 'connection-lost'],
    [
      'a line without end on standard error',
      (far: FarEnd) => far.event('x'.repeat(17 * 1024 * 1024)),
      'connection-lost',
    ],
    ['too many lines', (far: FarEnd) => far.print('1 + x\n'.repeat(200_001)), 'bad-answer'],
    ['too long an answer', (far: FarEnd) => far.print(`1 + ${'x'.repeat(15_000_000)}\n`.repeat(5)), 'bad-answer'],
    ['no answer of ours', (far: FarEnd) => far.print('1 ? what\n'), 'bad-answer'],
    ['an end', (far: FarEnd) => far.end(0), 'connection-lost'],
    ['a broken link', (far: FarEnd) => far.breakLink(new Error('broken')), 'connection-lost'],
  ])('answers a request that gets %s with an error', async (_, misbehave, code) => {
    const helper = await openHelper(
      connectionTo({ answer: (line, far) => (line.startsWith('davit-') ? far.print(`\n${line}\n`) : misbehave(far)) }),
    )
    await expect(helper.request('hello', [])).rejects.toMatchObject({ code, exitStatus: 69 })
    expect(helper.isGone).toBe(code === 'connection-lost')
  })

  test('refuses requests once it is lost', async () => {
    const answer = (line: string, far: FarEnd) => (line.startsWith('davit-') ? far.print(`\n${line}\n`) : far.end(0))
    const helper = await openHelper(connectionTo({ answer }))
    for (const request of [() => helper.request('hello', []), () => helper.requestActivity('start', [])]) {
      await expect(request()).rejects.toMatchObject({ code: 'connection-lost' })
    }
    const sent = vi.fn()
    await expect(helper.requestActivity('start', [], { sent })).rejects.toMatchObject({ code: 'connection-lost' })
    expect(sent).not.toHaveBeenCalled()
  })

  test('rejects activities that were begun when it is lost', async () => {
    let far: FarEnd | undefined
    const helper = await openHelper(
      connectionTo({
        answer(line, end) {
          far = end
          honest('ID =')(line, end)
        },
      }),
    )
    const activity = helper.requestActivity('start', [])
    await helper.request('hello', [])
    far?.end(0)
    await expect(activity).rejects.toMatchObject({ code: 'connection-lost' })
  })

  test('accepts the end of an activity before its answer', async () => {
    const answer = (line: string, far: FarEnd) => {
      if (!line.startsWith('davit-')) far.event('done 99 1\nnoise\ndone 1 7\n')
      honest('ID =')(line, far)
    }
    const helper = await openHelper(connectionTo({ answer }))
    expect(await helper.requestActivity('start', [])).toBe(7)
  })

  test('passes on the answers to questions, whichever come first', async () => {
    const answer = (line: string, far: FarEnd) => {
      if (!line.startsWith('davit-')) far.event('told 1 2 0\ntold 99 1 0\ntold 1 x 0\ntold 1 1 gone\ndone 1 0\n')
      honest('ID =')(line, far)
    }
    const helper = await openHelper(connectionTo({ answer }))
    const told = vi.fn(() => true)
    expect(await helper.requestActivity('ask', [], { told })).toBe(0)
    expect(told.mock.calls).toEqual([
      [2, '0'],
      [1, 'gone'],
    ])
  })
})

describe('performActivity() on a machine that cannot be reached again', () => {
  const mapping = { target: 't1', service: 'key', container: 'process' }
  const request = { profile: 'default', token: '-', activity: 'deactivate', mapping } as never
  const unreachable = new DavitError('unreachable', "cannot reach 'far'", { exitStatus: 69 })

  const IMPATIENT = { answerSeconds: 0.5 }

  /** Opens a machine that ends at this operation, and cannot be reached again. */
  async function machineEndingAt(operation: string) {
    const answer = (line: string, far: FarEnd) =>
      line.includes(` ${operation} `) ? far.end(1) : lying('ID =')(line, far)
    let connections = 0
    return openMachine(async () => {
      connections += 1
      if (connections > 1) throw unreachable
      return connectionTo({ answer })
    }, IMPATIENT)
  }

  test('reports that nothing was begun if that is certain', async () => {
    const machine = await machineEndingAt('observe')
    await expect(machine.request('observe', ['default'])).rejects.toBe(unreachable)
    const result = await performActivity(machine, request)
    expect(result).toEqual({ kind: 'not-begun', message: unreachable.message, error: unreachable })
  })

  test('rejects if the request was sent, since its result is unknown', async () => {
    const machine = await machineEndingAt('start')
    await expect(performActivity(machine, request)).rejects.toBe(unreachable)
  })
})

test.each([
  ['a state that there is none of', 'mapping t1 asleep ended process:key'],
  ['a target outside', 'mapping ../x active ended process:key'],
  ['a directory outside', 'mapping t1 active ended ../process:key'],
  ['a field of nothing', 'field pkg /store/x'],
  ['something else', 'rubbish'],
])('observeMappings() refuses %s', async (_, line) => {
  const answer = lying(`ID + ${line}`, 'ID =')
  const machine = await openMachine(async () => connectionTo({ answer }))
  await expect(observeMappings(machine, 'default' as ProfileName)).rejects.toMatchObject({ code: 'bad-answer' })
})

test('openMachine() names the utilities that are missing', async () => {
  const answer = honest('ID + missing setsid', 'ID + missing tar', 'ID =')
  await expect(openMachine(async () => connectionTo({ answer }))).rejects.toMatchObject({
    code: 'utility-missing',
    message: "'far' lacks setsid, tar, cksum or sha256sum",
  })
})
