import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { TOPICS } from '../src/checkup.ts'

test('docs/find-out-what-is-wrong.md has a row for each topic', () => {
  const page = readFileSync(new URL('../../../../docs/find-out-what-is-wrong.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('## What is looked at')
  const rows = table.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
  const topics = rows.flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name))
  expect(new Set(topics)).toEqual(new Set(TOPICS))
})
