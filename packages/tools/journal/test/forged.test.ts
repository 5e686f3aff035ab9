import type { JournalEntry } from '@davit/coordinator-state'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderRuns } from '../src/render-runs.ts'
import { runsOf } from '../src/runs-of.ts'

function shown(text: string): string {
  const common = { time: '2026-01-02T03:04:05Z', id: 'one' }
  const step = { number: 1, step: text, target: text, service: text }
  const entries = [
    { kind: 'begin', version: 1, run: text, tool: text, profile: text, user: text, sudoUser: text, host: text, pid: 1 },
    { kind: 'started', ...step },
    { kind: 'finished', ...step },
    { kind: 'started', ...step, number: 2 },
    { kind: 'note', code: 'x', message: `note ${text}`, target: text },
    { kind: 'end', status: 1, code: text, message: text },
  ].map((entry) => ({ ...common, ...entry }) as JournalEntry)
  const runs = runsOf(entries.map((entry) => ({ entry, line: '' })))
  return ['normal', 'verbose'].map((verbosity) => renderRuns(runs, () => 'gone', verbosity as 'normal')).join('')
}

test.each(FORGERIES)('a journal with %j has the lines of any other, apart from what a message has below it', (text) => {
  const others = shown(text)
    .split('\n')
    .filter((line) => !line.startsWith(' '.repeat('00:00:00'.length + 5)))
  const harmless = shown('plain')
  expect(forgeriesIn(others.join('\n'), harmless)).toEqual([])
  expect(forgeriesIn(shown(text).replaceAll('\n', ' '), 'x')).toEqual([])
})
