import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { describe, expect, test } from 'vitest'

import { findMappings } from '../src/diagnosis.ts'

const lost = new DavitError('connection-lost', 'it is gone', { exitStatus: ExitStatus.unreachable })
const [name, other] = ['t1', 't2'] as TargetName[]

/** A target of a machine that has no records, or fails. */
function reached(request: () => Promise<readonly string[]>) {
  const machine = { address: 'far', facts: { stateDirectory: '/state' }, request }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const target = { name, machine } as unknown as ShellTarget<'logs'>
  return { targets: new Map([[name!, target]]), unreachable: new Map([[other!, lost]]) }
}
const terms = (signal = new AbortController().signal) => ({
  profile: 'default' as ProfileName,
  expected: undefined,
  services: new Set(['web']),
  containers: undefined,
  signal,
})

describe('findMappings()', () => {
  test('names the targets of machines that cannot be asked, with those that were not reached', async () => {
    const { mappings, failures } = await findMappings(
      reached(async () => Promise.reject(lost)),
      terms(),
    )
    expect([mappings, [...failures.keys()]]).toEqual([[], ['t2', 't1']])
    const silent = await findMappings(
      reached(async () => ['boot 1']),
      terms(),
    )
    expect([silent.mappings, [...silent.failures.keys()]]).toEqual([[], ['t2']])
  })

  test('does not take an interruption, or a mistake of davit, for a machine that cannot be asked', async () => {
    const mistake = reached(async () => Promise.reject(new TypeError('a mistake')))
    await expect(findMappings(mistake, terms())).rejects.toThrow('a mistake')
    const interrupted = AbortSignal.abort(new Error('enough'))
    await expect(
      findMappings(
        reached(async () => Promise.reject(lost)),
        terms(interrupted),
      ),
    ).rejects.toThrow('enough')
  })
})
