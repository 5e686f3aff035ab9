import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { HIDE_PID, withHiddenProc } from '@davit/testing/hidden-proc'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'
import {
  isProcessAlive,
  isProcessGone,
  type ProcessIdentity,
  processIdentity,
  type ProcessReference,
  processReference,
  wasRestartedSince,
} from '../src/process.ts'

const compile = programCompiler()
let isGone: string
beforeAll(async () => {
  isGone = await compile(new URL('programs/is-gone.ts', import.meta.url))
})
const node = (reference: ProcessReference, ...rest: readonly string[]): readonly [string, ...string[]] => [
  process.execPath,
  isGone,
  JSON.stringify(reference),
  ...rest,
]
const said = ([program, ...rest]: readonly [string, ...string[]]) => {
  const { stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}

describe('isProcessGone()', () => {
  let living: ReturnType<typeof spawn>
  let reference: ProcessReference
  beforeEach(() => {
    living = spawn('sleep', ['600'], { stdio: 'ignore' })
    const stat = readFileSync(`/proc/${living.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    reference = { ...processReference(), pid: living.pid ?? 0, startTime: Number(stat[19]) }
  })
  afterEach(() => void living.kill('SIGKILL'))

  const end = async () => {
    living.kill('SIGKILL')
    await once(living, 'exit')
  }

  test.each(HIDE_PID)('is not sure of a process of another user that is hidden (hidepid=%s)', async (hidePid) => {
    expect(said(withHiddenProc(hidePid, node(reference)))).toBe('false')
    await end()
    expect(said(withHiddenProc(hidePid, node(reference)))).toBe('true')
  })

  test('is not sure of a living process when no file can be opened', async () => {
    expect(said(['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh', ...node(reference, 'none')])).toBe('false')
    await end()
    expect(said(['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh', ...node(reference, 'none')])).toBe('true')
  })

  test('recognises a number that another process has by now, unless the start time of the first is unknown', async () => {
    expect(isProcessGone({ ...reference, startTime: reference.startTime + 1 })).toBe(true)
    expect(isProcessAlive({ ...reference, startTime: reference.startTime + 1 })).toBe(false)
    expect(isProcessGone({ ...reference, startTime: 0 })).toBe(false)
    expect(isProcessAlive({ ...reference, startTime: 0 })).toBe(false)
    expect(isProcessAlive(reference)).toBe(true)
    expect(isProcessAlive({ ...reference, namespace: '1' })).toBe(false)
    await end()
    expect(isProcessGone({ ...reference, startTime: 0 })).toBe(true)
  })
})

describe('wasRestartedSince()', () => {
  const then = { machineId: 'm', host: 'h', bootId: 'then' }
  const now = { ...then, bootId: 'now' }
  test.each<[string, Partial<ProcessIdentity>, Partial<ProcessIdentity>, boolean]>([
    ['another boot of the same machine', {}, {}, true],
    ['the same boot', {}, { bootId: 'then' }, false],
    ['containers of one host name without machine id', { machineId: '' }, { machineId: '' }, false],
    ['a machine id of which only one knows', {}, { machineId: '' }, false],
    ['a copy of the machine', {}, { host: 'other' }, false],
    ['a boot that cannot be read', {}, { bootId: '' }, false],
    ['a boot that could not be read', { bootId: '' }, {}, false],
  ])('%s', (_, before, after, expected) => {
    expect(wasRestartedSince({ ...then, ...before }, { ...now, ...after })).toBe(expected)
  })
})

test('processIdentity() makes up no machine id', () => {
  expect(processIdentity().machineId).toMatch(/^([0-9a-f]{32})?$/)
})
