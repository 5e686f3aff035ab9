import { renderTasks } from '@davit/state-runner'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderSnapshots } from '../src/listed-snapshot.ts'

function listed(text: string): string {
  const times = { taken: undefined, again: undefined, bytes: 1 }
  const place = { service: text, container: text, component: text, target: text as never, where: 'target' } as const
  const verified = { at: '2026-11-23T02:00:00.000Z', on: text, how: 'loaded' } as const
  return renderSnapshots([{ ...place, ...times, generation: 1, name: text, pkg: text, verified }])
}

test.each(FORGERIES)('snapshots and plans of state with %j have the lines of any others', async (text) => {
  expect(forgeriesIn(listed(text), listed('plain'))).toEqual([])
  const step = {
    kind: 'snapshot',
    text,
    where: text,
    details: async () => [text, text],
    run: async () => ({}),
  } as const
  const shown = await renderTasks(
    [{ stateful: {} as never, target: text as never, steps: [step] as never }],
    'depth-first',
  )
  expect(forgeriesIn(shown, 'x\n')).toEqual([])
})

test('a name with blanks does not look like two columns', () => {
  expect(listed('db  front')).toContain('"db  front"  "db  front"/"db  front"')
})
