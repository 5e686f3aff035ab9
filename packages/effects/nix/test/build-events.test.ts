import { expect, test } from 'vitest'
import { type BuildEvent, openBuildEvents } from '../src/nix.ts'

const BAD = `/nix/store/${'1'.repeat(32)}-bad.drv`
const LONG = `/nix/store/${'2'.repeat(32)}-long.drv`
const NEED = `/nix/store/${'3'.repeat(32)}-need.drv`

const entry = (fields: object): string => `@nix ${JSON.stringify(fields)}`
const started = (id: number, path: string): string =>
  entry({ action: 'start', id, type: 105, fields: [path, '', 1, 1] })
const logged = (id: number, line: string): string => entry({ action: 'result', id, type: 101, fields: [line] })
const stopped = (id: number): string => entry({ action: 'stop', id })
const failed = (raw_msg: string): string => entry({ action: 'msg', level: 0, msg: `error: ${raw_msg}`, raw_msg })

function follow(...lines: readonly string[]) {
  const told: BuildEvent[] = []
  const events = openBuildEvents((event) => told.push(event))
  for (const line of lines) events.take(line)
  const { failures, problems, others } = events.end()
  return { told: told.map(({ kind }) => kind), failures, problems, others }
}

test.each([
  [`builder for '\u001b[35;1m${BAD}\u001b[0m' failed with exit code 3`, 'failed with exit code 3'],
  [`builder for '${BAD}' failed with exit code 3;\n       last 1 log lines:\n       > oops`, 'failed with exit code 3'],
  [`builder for '${BAD}' failed due to signal 9 (Killed)`, 'failed due to signal 9 (Killed)'],
  [`building of '${BAD}' timed out after 3 seconds`, 'timed out after 3 seconds'],
  [
    `Cannot build '${BAD}'.\n       Reason: builder failed with exit code 1.\n`,
    'failed: builder failed with exit code 1',
  ],
  [
    `hash mismatch in fixed-output derivation '${BAD}':\n specified: a\n got: b`,
    `failed: hash mismatch in fixed-output derivation '${BAD}':\n specified: a\n got: b`,
  ],
])('a build fails with %j, also when that comes after its end', (message, reason) => {
  const logEnd = 'error: \\ one\ntwo'
  const lines = [started(1, BAD), logged(1, 'error: \\ one'), logged(1, '\u001b[1mtwo\u001b[0m')]
  const expected = { failures: [{ derivation: BAD, reason, logEnd }], problems: [], told: ['started', 'failed'] }
  expect(follow(...lines, failed(message), stopped(1))).toMatchObject(expected)
  expect(follow(...lines, stopped(1), failed(message))).toMatchObject(expected)
})

test('errors that follow from a failure are not reported', () => {
  const lines = [
    failed(`1 dependencies of derivation '${NEED}' failed to build`),
    failed(`build of '${BAD}', '${NEED}' failed`),
    entry({ action: 'msg', level: 1, msg: "warning: you did not specify '--add-root'; the result might be removed" }),
    entry({ action: 'msg', level: 3, msg: 'these 2 derivations will be built:' }),
  ]
  expect(follow(...lines)).toMatchObject({ failures: [], problems: [], told: [] })
})

test('builds that run when everything ends with an error were stopped', () => {
  const outcome = follow(started(1, BAD), started(2, LONG), failed('out of disk space'), 'Killed')
  expect(outcome).toStrictEqual({
    told: ['started', 'started', 'failed', 'failed'],
    failures: [],
    problems: ['out of disk space'],
    others: ['Killed'],
  })
})

test('fetching, waiting and warnings are reported', () => {
  const { told } = follow(
    entry({ action: 'start', id: 1, type: 108, fields: ['/nix/store/x', 'https://cache.example'] }),
    entry({ action: 'start', id: 2, type: 111, text: "waiting for a machine to build '/nix/store/x.drv'", fields: [] }),
    entry({ action: 'msg', level: 1, msg: 'warning: low on space' }),
    stopped(1),
  )
  expect(told).toStrictEqual(['fetching', 'said', 'said', 'fetched'])
})

test('only the end of a log is remembered', () => {
  const lines = Array.from({ length: 100 }, (_, index) => logged(1, String(index)))
  const { failures } = follow(started(1, BAD), ...lines, failed(`builder for '${BAD}' failed with exit code 1`))
  expect(failures[0]?.logEnd.split('\n')).toStrictEqual(Array.from({ length: 25 }, (_, index) => String(75 + index)))
})
