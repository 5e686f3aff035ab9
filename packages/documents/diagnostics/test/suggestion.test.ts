import { expect, test } from 'vitest'
import { suggestionFor } from '../src/diagnostics.ts'

test.each([
  ['databse', ['web', 'database'], "did you mean 'database'?"],
  ['Database', ['database'], "did you mean 'database'?"],
  ['dependson', ['dependsOn', 'deployState'], "did you mean 'dependsOn'?"],
  ['ewb', ['web', 'db'], "did you mean 'web'?"],
  ['test3', ['test1', 'test2'], "did you mean 'test1'?"],
  ['web', ['database'], undefined],
  ['a', ['b'], undefined],
  ['', ['b'], undefined],
  ['x', [], undefined],
])('suggestionFor(%j, %j)', (name, candidates, suggestion) => {
  expect(suggestionFor(name, candidates)).toBe(suggestion)
})

test('suggestionFor() compares no names that are longer than names can be, which would take minutes', () => {
  const long = 'x'.repeat(100_000)
  expect(suggestionFor(`${long}y`, [`${long}z`])).toBeUndefined()
})
