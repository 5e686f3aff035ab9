import type { MadeFrom } from '@davit/documents'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderGeneration } from '../src/render-generation.ts'

function shown(text: string): string {
  const name = text as never
  const origin = { time: new Date(0), user: text, host: text, sudoUser: text }
  const generation = { number: 1, isCurrent: true, content: { origin, services: 1, targets: 1 } }
  const madeFrom = {
    davit: text,
    order: { tool: text, began: '2026-01-02T03:04:05Z', directory: text, options: { [text]: text, on: [text, text] } },
    models: [{ file: text, role: 'services', bytes: 1, sha256: text }],
    transition: {
      began: '2026-01-02T03:04:05Z',
      ended: '2026-01-02T03:04:05Z',
      steps: [{ activity: 'activate', service: name, container: name, target: name, why: [text] }],
      messages: [{ kind: 'note', message: text, target: text }],
    },
  } as unknown as MadeFrom
  return renderGeneration(generation, madeFrom)
}

test.each(FORGERIES)('a generation with %j has the lines of any other', (text) => {
  expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
})
