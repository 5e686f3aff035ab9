import type { LockState } from '@davit/deployment-lock'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderLocks } from '../src/render-locks.ts'

function shown(text: string): string {
  const owner = { user: text, host: text, holder: { pid: 1 } }
  const held = { kind: 'held', target: text, owner, life: 'dead', since: undefined, until: undefined, token: text }
  return renderLocks([held, { kind: 'free', target: text }] as unknown as readonly LockState[])
}

test.each(FORGERIES)('locks with %j have the lines of any others', (text) => {
  expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
})
