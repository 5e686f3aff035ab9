import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import type { ManifestDifference } from '../src/difference.ts'
import { renderDifference } from '../src/render-difference.ts'

function differenceWith(text: string): ManifestDifference {
  const place = { target: text, container: text }
  const named = { ...place, service: text }
  const field = { path: ['properties', text], from: text, to: new Map([[text, [text]]]) }
  const secret = { path: [text], to: new Map([['secret', new Map([['command', text]])]]) }
  const path = `/store/${'0'.repeat(32)}-${text}` as never
  return {
    services: [
      { kind: 'added', service: text, places: [place, place] },
      {
        kind: 'changed',
        service: text,
        changes: [
          { kind: 'package', from: path, to: path },
          { kind: 'type', from: text, to: text },
          { kind: 'moved', from: place, to: place },
          { kind: 'place-added', place },
          { kind: 'provider', place, from: text },
          { kind: 'depends-on', added: [named], removed: [named] },
          { kind: 'connects-to-changed', services: [text, text] },
          { kind: 'provides', fields: [field, secret] },
        ],
      },
    ],
    targets: [{ kind: 'changed', target: text, fields: [field, { path: [text], from: text }, secret] }],
    profiles: [{ target: text, from: path, to: path }],
    snapshots: [{ kind: 'added', component: text, ...named }],
    store: { from: { kind: 'native', directory: text }, to: { kind: 'native', directory: text } },
  }
}

test.each(FORGERIES)('a difference with %j has the lines of any other', (text) => {
  expect(forgeriesIn(renderDifference(differenceWith(text)), renderDifference(differenceWith('plain')))).toEqual([])
})

test('a name that reads as a line of a difference is quoted', () => {
  const name = 'x added: "1"'
  const fields = [{ path: ['properties', name], to: 'evil' }]
  const difference = {
    services: [],
    targets: [{ kind: 'changed', target: 'h', fields }],
    profiles: [],
    snapshots: [],
  } as const
  expect(renderDifference(difference)).toBe(
    String.raw`target h changed
  properties/"x added: \"1\"" added: "evil"
`,
  )
})
