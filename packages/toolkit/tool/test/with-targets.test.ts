import { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'

import { withTargets } from '../src/with-targets.ts'

test.each(['0', '-1', '1.5', 'soon', '1e3', '9999999'])(
  'withTargets() refuses %s as DAVIT_ANSWER_TIMEOUT before it connects',
  async (text) => {
    const { signal } = new AbortController()
    const context = {
      environment: { DAVIT_ANSWER_TIMEOUT: text },
      report: () => {},
      signal,
      role: 'deploy',
      manifests: [],
      trust: 'everything',
    } as const
    const use = () => Promise.reject(new Error('connected'))
    await expect(withTargets(new Map(), context, use)).rejects.toMatchObject({ code: 'usage', exitStatus: 64 })
  },
)

test('withTargets() reports an interruption while connecting as that, not as unreachable targets', async () => {
  const reason = new DavitError('interrupted', 'interrupted by SIGINT')
  const context = {
    environment: {},
    report: () => {},
    signal: AbortSignal.abort(reason),
    role: 'deploy',
    manifests: [],
    trust: 'everything',
  } as const
  await expect(withTargets(new Map(), context, async () => {})).rejects.toBe(reason)
})
