import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderAdoption } from '../src/render-adoption.ts'

function shown(text: string): string {
  const name = text as never
  const services = [{ name, mapping: { container: name, service: name, target: name }, state: 'present' }] as never
  const snapshots = [{ container: text, component: text, name: text }] as never
  return renderAdoption([{ target: name, original: name, services, snapshots }])
}

test.each(FORGERIES)('what was adopted with %j has the lines of anything else', (text) => {
  expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
})
