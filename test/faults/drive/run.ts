import { once } from 'node:events'
import { eventually } from '@davit/testing/wait'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Started } from '../../harness/coordinator.ts'
import { leavesOrphans, type Strike } from '../inject/fault.ts'
import { commandOf, mend } from '../inject/strikes.ts'
import type { Holder } from './holder.ts'
import type { System } from './system.ts'
import { type Input, optionsOf, type Task } from './task.ts'

/** One run of davit-env. */
export interface Run extends Task {
  /** The planned interruption. */
  readonly strike: Strike | undefined
  /** Whether the run reached the point. */
  readonly isStruck: boolean
  /** Exit status of davit-env, or null if it was killed. */
  readonly status: number | null
  /** The messages so far. Processes of the run may print more after davit-env has ended. */
  readonly said: () => readonly Line[]
  /** Names of the points that the run reached; undefined for the tools as shipped. */
  readonly passed: readonly string[] | undefined
  /** Nanoseconds, by the clock that all hosts share. */
  readonly startedAt: bigint
  readonly endedAt: bigint
  /** Time when the processes that davit-env left behind have ended as well. */
  readonly orphans: Promise<bigint>
  /** State directory of the coordinator. */
  readonly stateDirectory: string
}

export interface Line {
  readonly text: string
  /** Time when the line was read. */
  readonly time: bigint
}

export interface RunTerms extends Task, Input {
  readonly stateDirectory: string
  /** The davit-connect that holds the connections of the run. */
  readonly holder?: Holder | undefined
}

/** Runs davit-env as shipped, to its end; `meanwhile` may interfere. */
export async function deploy(
  system: System,
  terms: RunTerms,
  meanwhile: (run: { readonly started: Started; readonly isOver: () => boolean }) => Promise<unknown> = async () => {},
): Promise<Run> {
  const startedAt = now()
  const started = system.user.start(['davit-env', ...optionsOf(system, terms)], settingsOf(system, terms))
  const said = recorded(started)
  let isOver = false
  void started.outcome.then(() => (isOver = true))
  await meanwhile({ started, isOver: () => isOver })
  const { status } = await started.outcome
  const endedAt = now()
  const ended = { endedAt, orphans: Promise.resolve(endedAt), passed: undefined, strike: undefined, isStruck: false }
  return { ...terms, status, said, startedAt, ...ended }
}

/**
 * Returns the time from which new activities belong to this run. Until then, requests of an earlier run may still be carried out;
 * no run reaches its first activity that fast.
 */
export function beginningOf({ startedAt }: Pick<Run, 'startedAt'>): bigint {
  return startedAt + 500_000_000n
}

export interface InterruptedTerms extends RunTerms {
  /** The interruption. Without it, the run only records its points. */
  readonly strike?: Strike | undefined
  readonly pace?: 'usual' | 'held'
}

/** Deploys a manifest as davit-env does. */
const ONE_BY_ONE = `davit-distribute "$1" && davit-lock "$1" -- sh -c 'davit-activate "$1" && davit-set "$1"' sh "$1"`

/** Status of a shell whose last program was killed. */
const LAST_KILLED = 137

/** Runs davit-env, or with a davit-connect the single tools; all of them can be interrupted. */
export async function interrupt(system: System, terms: InterruptedTerms): Promise<Run> {
  const { strike } = terms
  const log = join(system.user.directory, 'points.log')
  await writeFile(log, '')
  const startedAt = now()
  const started = startFaulty(system, terms, log)
  const said = recorded(started)
  const ended = once(started.process, 'exit')
  const orphans = started.outcome.then(now)
  const second = strike?.kind.startsWith('twice:') ? signalAgain(started, strike) : undefined
  const [ownStatus] = (await ended) as [number | null]
  const status = ownStatus === LAST_KILLED ? null : ownStatus
  await second
  if (strike === undefined || !leavesOrphans(strike)) await started.outcome
  const endedAt = now()
  const lines = await readLines(log)
  const failure = lines.find((line) => line.startsWith('failed '))
  if (failure !== undefined) throw new Error(`cannot interrupt: ${failure}`)
  if (strike !== undefined) await mend(strike, system)
  const isStruck = lines.some((line) => line.endsWith(' struck'))
  const passed = lines.map((line) => line.split(' ', 1)[0] ?? '')
  return { ...terms, strike, isStruck, status, said, passed, startedAt, endedAt, orphans }
}

function startFaulty(system: System, terms: InterruptedTerms, log: string): Started {
  const { strike, pace = 'usual', holder } = terms
  const orders =
    strike === undefined
      ? {}
      : { DAVIT_FAULT_POINT: strike.point, DAVIT_FAULT_COMMAND: commandOf(strike.kind, system, { pace, holder }) }
  const more = { PATH: system.faultyPath, DAVIT_FAULT_LOG: log, ...orders }
  const [, manifest = ''] = system.goals[terms.step].manifestOptions
  const argv =
    holder === undefined || terms.way !== 'repeated'
      ? ['davit-env', ...optionsOf(system, terms)]
      : ['sh', '-c', ONE_BY_ONE, 'sh', manifest]
  return system.user.start(argv, settingsOf(system, terms, more))
}

/** Sends the second signal, once the first is answered and davit no longer takes both for the same. */
async function signalAgain({ process: { pid = 0, exitCode }, outcome, stderr }: Started, { kind }: Strike) {
  let isOver = exitCode !== null
  void outcome.then(() => (isOver = true))
  await eventually('an answer to the first signal', () => isOver || stderr().includes('"code":"stopping"')).catch(
    () => {},
  )
  await pause(ONE_WISH_MILLISECONDS)
  try {
    process.kill(-pid, `SIG${kind.split(':')[1]}`)
  } catch {
    // The run has already ended.
  }
}

const ONE_WISH_MILLISECONDS = 300

function settingsOf(
  { environment }: System,
  { stateDirectory, holder }: RunTerms,
  more: Readonly<Record<string, string>> = {},
) {
  const shared = holder === undefined ? {} : { DAVIT_CONNECT: holder.socket }
  const all = { ...environment, DAVIT_STATE_DIR: stateDirectory, DAVIT_LOG_FORMAT: 'json', ...shared, ...more }
  return { environment: all }
}

function recorded({ process: { stderr } }: Started): () => readonly Line[] {
  const pieces: Line[] = []
  stderr?.on('data', (chunk: Buffer) => pieces.push({ text: chunk.toString(), time: now() }))
  return () => {
    const lines: Line[] = []
    let begun = ''
    for (const { text, time } of pieces) {
      const parts = `${begun}${text}`.split('\n')
      begun = parts.pop() ?? ''
      lines.push(...parts.map((part) => ({ text: part, time })))
    }
    return lines
  }
}

function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

async function readLines(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
}
