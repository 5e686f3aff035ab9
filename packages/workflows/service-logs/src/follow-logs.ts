import { setTimeout as delay } from 'node:timers/promises'

import type { TargetName } from '@davit/documents'
import { requestKeyFor } from '@davit/target'

import { FollowedMachine } from './followed-machine.ts'
import type { LogLine } from './log-line.ts'
import type { LogTerms, OpenLogs } from './log-terms.ts'
import { MachineLogs } from './machine-logs.ts'
import { mergeByTime } from './merge-lines.ts'
import { withoutRepetition } from './messages.ts'

export interface Following {
  /** Opens the machine of a target, at first and after each loss. */
  readonly open: OpenLogs
  /** Takes lines in order of time, as far as they came at a time; the next ones wait for it. */
  readonly emit: (lines: readonly LogLine[]) => Promise<void>
}

const PAUSE_MS = 1_000
/** Pause of a machine that does not answer. */
const RETRY_MS = 2_000
/** How long those that came first wait for others of about the same time. */
const GATHER_MS = 200
/** How long the first lines wait for those of machines that take longer to connect to. */
const FIRST_GATHER_MS = 2_000

/**
 * Connects to the targets, each for itself, and reads their logs until `signal` aborts, which rejects. A target that is lost, or was never
 * reached, is tried until it answers.
 */
export async function followLogs({ open, emit }: Following, { report, ...rest }: LogTerms): Promise<never> {
  const terms = { ...rest, report: withoutRepetition(report) }
  const machines = targetsByAddress(terms).map(
    (names) => new FollowedMachine(new MachineLogs(names, terms), open, terms),
  )
  const first = machines.map((machine) => machine.read())
  const gather = gatherer(emit, Promise.allSettled(first), terms.signal)
  const follow = async (machine: FollowedMachine, lists: Promise<Lists>) => {
    await gather(await lists)
    await followMachine(machine, gather, terms)
  }
  await Promise.all(machines.map((machine, index) => follow(machine, first[index] ?? Promise.resolve([]))))
  throw terms.signal.reason
}

/** Groups targets with the same address, so that they share a connection and a helper. */
function targetsByAddress({ infrastructure }: LogTerms): readonly (readonly TargetName[])[] {
  const groups = new Map<string, TargetName[]>()
  for (const name of infrastructure.keys()) {
    // A target without an address is for itself: whoever opens it says so.
    const key = requestKeyFor(infrastructure, name) ?? name
    groups.set(key, [...(groups.get(key) ?? []), name])
  }
  return [...groups.values()]
}

async function followMachine(
  followed: FollowedMachine,
  gather: (lists: Lists) => Promise<void>,
  { signal }: LogTerms,
): Promise<void> {
  while (!signal.aborted) {
    // One after the other: a machine that is slow is not asked twice at a time.
    // oxlint-disable-next-line no-await-in-loop
    await delay(followed.isLost ? RETRY_MS : PAUSE_MS, undefined, { signal }).catch(() => {})
    // oxlint-disable-next-line no-await-in-loop
    if (!signal.aborted) await gather(await followed.read())
  }
}

type Lists = readonly (readonly LogLine[])[]

/** Returns a function that takes the lines of one machine, and resolves when they were passed on together with those of others. */
function gatherer(
  emit: Following['emit'],
  allRead: Promise<unknown>,
  signal: AbortSignal,
): (lists: Lists) => Promise<void> {
  const atFirst = Promise.race([allRead, delay(FIRST_GATHER_MS, undefined, { signal }).catch(() => {})])
  let waiting: (readonly LogLine[])[] = []
  let next: Promise<void> | undefined
  const flush = async () => {
    await atFirst
    await delay(GATHER_MS, undefined, { signal }).catch(() => {})
    const lists = waiting
    waiting = []
    next = undefined
    if (!signal.aborted) await emit(mergeByTime(lists))
  }
  return async (lists) => {
    if (lists.length === 0) return
    waiting.push(...lists)
    next ??= flush()
    await next
  }
}
