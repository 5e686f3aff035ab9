import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderGarbage, renderRemnants } from '../src/render-garbage.ts'

test.each(FORGERIES)('garbage with %j has the lines of any other', (text) => {
  const path = { path: text as never, bytes: 1, kind: 'log' as const }
  const garbage = { paths: [path], rubbish: [path], kept: { paths: [], until: undefined } } as never
  expect(forgeriesIn(renderGarbage(garbage, text), 'a\nb\n')).toEqual([])
  expect(forgeriesIn(renderRemnants([path], text), 'a\n')).toEqual([])
})
