/**
 * Looks twenty times a second which processes of a run there are, and what processor time they have used since. Writes seconds by
 * stage or test file and by cause when it is terminated, and ends when the run has ended without that.
 *
 * usage: tsx scripts/test.d/watch-processes.ts PROCESS GROUP FILE
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type Cause, causeOf, WHOLE } from './where.ts'

const [run = '', group = '', file = ''] = process.argv.slice(2)
const INTERVAL = 50
const TICKS_PER_SECOND = 100

interface Seen {
  /** What is charged: a stage, and a test file in it if there is one. Undefined if the process is not of this run. */
  readonly places: readonly string[] | undefined
  readonly cause: Cause
  readonly name: string
  readonly started: string
  readonly ticks: number
}

const seen = new Map<string, Seen>()
const used: Record<string, Record<string, number>> = {}

const timer = setInterval(look, INTERVAL)
process.on('SIGTERM', () => {
  look()
  writeFileSync(file, JSON.stringify(used))
  process.exit(0)
})

function look(): void {
  if (process.ppid !== Number(run)) {
    clearInterval(timer)
    return
  }
  const processes = readdirSync('/proc').filter((name) => /^\d/.test(name))
  for (const id of processes) lookAt(id)
  const living = new Set(processes)
  for (const id of seen.keys()) if (!living.has(id)) seen.delete(id)
}

function lookAt(id: string): void {
  const before = seen.get(id)
  if (before !== undefined && before.places === undefined) return
  const stat = contentOf(`/proc/${id}/stat`)
  if (stat === undefined) return
  const now = before === undefined ? firstLook(id, stat) : nextLook(id, stat, before)
  seen.set(id, now)
  charge(now, now.ticks - knownTicks(now, before))
}

function knownTicks(now: Seen, before: Seen | undefined): number {
  return before !== undefined && before.started === now.started && before.ticks <= now.ticks ? before.ticks : 0
}

function charge({ places, cause }: Seen, ticks: number): void {
  for (const place of places ?? []) {
    const row = (used[place] ??= {})
    row[cause] = (row[cause] ?? 0) + ticks / TICKS_PER_SECOND
  }
}

function firstLook(id: string, stat: string): Seen {
  const { name, parent, started, ticks } = fieldsOf(stat)
  const places = placesOf(id, parent)
  const commandLine = places === undefined ? '' : (contentOf(`/proc/${id}/cmdline`) ?? '').replaceAll('\0', ' ')
  return { places, cause: causeOf(name, commandLine, places?.[0] ?? ''), name, started, ticks }
}

/** A process may have become another program since, and the test runner goes on to another file. */
function nextLook(id: string, stat: string, before: Seen): Seen {
  const { name, parent, started, ticks } = fieldsOf(stat)
  if (started !== before.started || name !== before.name) return firstLook(id, stat)
  const places = before.cause === 'tests' ? placesOf(id, parent) : before.places
  return { ...before, places, ticks }
}

function placesOf(id: string, parent: string): readonly string[] | undefined {
  return group === '' ? placesByDescent(id, parent) : placesByGroup(contentOf(`/proc/${id}/cgroup`) ?? '')
}

/** Without control groups, only the whole run can be charged, for what descends from it. */
function placesByDescent(id: string, parent: string): readonly string[] | undefined {
  const isOfRun = parent === run || seen.get(parent)?.places !== undefined
  return isOfRun && id !== String(process.pid) ? [WHOLE] : undefined
}

const OF_GROUP = new RegExp(`/${basename(group)}/([^/\\n]*)(?:/([^/\\n]*\\.test\\.ts))?`)

function placesByGroup(groups: string): readonly string[] | undefined {
  const [, stage, path] = OF_GROUP.exec(groups) ?? []
  if (stage === undefined) return undefined
  const name = stage.replaceAll('_', ' ')
  return path === undefined ? [name] : [name, path.replaceAll('%', '/')]
}

function fieldsOf(stat: string) {
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)/s.exec(stat) ?? []
  const fields = rest.split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { name, parent: fields[1] ?? '', started: fields[19] ?? '', ticks }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
