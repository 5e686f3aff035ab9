import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHost } from './bench-host.ts'
import { measure, type StartOptions, textOf } from './measure.ts'
import { summaryOf, type Total, type TraceSummary } from './trace-summary.ts'
import type { Note } from './table.ts'

export interface WhereOptions extends StartOptions {
  readonly hosts?: readonly BenchHost[]
  /** Exit status that is expected; 0 by default. */
  readonly status?: number
}

export interface Where {
  readonly trace: TraceSummary
  /** Where the time of the run went, for the table. */
  readonly notes: readonly Note[]
}

/** Runs a command once more, with a trace, and tells where its time went. */
export async function whereOf(command: readonly string[], options: WhereOptions): Promise<Where> {
  const { hosts = [], directory, environment } = options
  const files = traceFilesIn(directory)
  const before = await processesOn(hosts)
  await measure(counted(files, command), { ...options, environment: { ...environment, DAVIT_TRACE: files.trace } })
  // Each count starts a process, which the next one includes.
  const there = (await processesOn(hosts)) - before - hosts.length
  return whereIn(files, there)
}

export interface TraceFiles {
  readonly trace: string
  /** Has the number of processes of each command in a line. */
  readonly processes: string
}

/** Returns the names of new files for a trace. */
export function traceFilesIn(directory: string): TraceFiles {
  const files = { trace: join(directory, 'trace.json'), processes: join(directory, 'processes') }
  for (const file of Object.values(files)) rmSync(file, { force: true })
  return files
}

/** Wraps a command so that it runs in a namespace of its own, where processes and threads are numbered one after the other. */
export function counted({ processes }: TraceFiles, command: readonly string[]): readonly string[] {
  const namespace = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
  return [...namespace, 'sh', '-c', COUNTING, 'sh', processes, ...command]
}

const COUNTING = `
  processes=$1 status=0
  shift
  "$@" || status=$?
  read -r _ _ _ _ last </proc/loadavg
  echo "$last" >>"$processes"
  exit "$status"`

/** Tells what the files contain after the commands have run. */
export function whereIn({ trace, processes }: TraceFiles, there = 0): Where {
  const summary = summaryOf(readFileSync(trace, 'utf8'))
  const counts = readFileSync(processes, 'utf8').trimEnd().split('\n').map(Number)
  const here = counts.reduce((sum, count) => sum + count, 0)
  return { trace: summary, notes: [...traceNotes(summary), processesNote(there, here)] }
}

/** Number of all processes that hosts have started so far, which each of them numbers. */
async function processesOn(hosts: readonly BenchHost[]): Promise<number> {
  const counts = hosts.map(async ({ process: first }) => {
    const script = 'read -r _ _ _ _ last </proc/loadavg; echo "$last"'
    return Number(await textOf(['nsenter', '--target', String(first), '--pid', 'sh', '-c', script], HERE))
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

const HERE: StartOptions = { directory: '/', environment: process.env }

function processesNote(there: number, here: number): Note {
  return { note: `processes: ${there} on the hosts, with those of sshd; here at most ${here}, with threads` }
}

/** What a trace says, for the table. */
function traceNotes({ counts, bytes, tools, steps }: TraceSummary): readonly Note[] {
  const { tool, connection, helper, channel, request } = counts
  return [
    {
      note: `${tool} tools, ${connection} connections, ${helper} helpers, ${channel} other channels, ${request} requests`,
    },
    { note: `${sizeText(bytes.out)} out, ${sizeText(bytes.in)} in, ${sizeText(bytes.packages)} of packages` },
    { note: `by tool: ${tools.map(totalText).join(', ')}` },
    { note: `by step, added up: ${steps.slice(0, SHOWN).map(totalText).join(', ')}` },
  ]
}

/** Steps that are shown. */
const SHOWN = 10

function totalText({ name, count, milliseconds }: Total): string {
  return `${name} ${Math.round(milliseconds)} ms${count === 1 ? '' : ` in ${count}`}`
}

function sizeText(bytes: number): string {
  return bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1_000_000)} MB`
}
