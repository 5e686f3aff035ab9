import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { readAccounts } from '../src/reconstruction.ts'

test.each([false, true])(
  'readAccounts() refuses an infrastructure without any reachable target (partial: %s)',
  async (partial) => {
    const lost = new DavitError('unreachable', 'no route to host', { exitStatus: ExitStatus.unreachable })
    const reached = { targets: new Map(), unreachable: new Map([['alpha' as TargetName, lost]]) }
    const terms = {
      profile: 'default' as ProfileName,
      partial,
      prefer: undefined,
      originals: 'ignore' as const,
      report: () => {},
    }
    await expect(readAccounts(reached, { ...terms, signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'targets-unreachable',
      exitStatus: ExitStatus.unreachable,
    })
  },
)
