import type { ProfileName, TargetName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { afterEach, expect, test, vi } from 'vitest'

import { withLease } from '../src/deployment-lock.ts'

const TERMS = { profile: 'default' as ProfileName, token: 'run', leaseSeconds: 30 }

afterEach(() => void vi.useRealTimers())

/** A target that answers when the function of its question is called. */
function targetThatWaits(name: string) {
  const answers: (() => void)[] = []
  const request = () => new Promise<string>((resolve) => answers.push(() => resolve('')))
  return { answers, target: { name: name as TargetName, machine: { request } } as unknown as ShellTarget }
}

test('a lease is renewed at each third of its time, but not while the target has not answered', async () => {
  vi.useFakeTimers()
  const [silent, quick] = [targetThatWaits('silent'), targetThatWaits('quick')]
  await withLease([silent.target, quick.target], TERMS, async () => {
    for (const count of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(10_000)
      expect([silent.answers.length, quick.answers.length]).toEqual([1, count])
      quick.answers.at(-1)?.()
    }
    silent.answers[0]?.()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(silent.answers).toHaveLength(2)
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(silent.answers).toHaveLength(2)
})
