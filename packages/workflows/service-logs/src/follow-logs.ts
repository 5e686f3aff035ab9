import { setTimeout as delay } from 'node:timers/promises'

import type { TargetName } from '@davit/documents'
import { groupByMachine, type Machine, type ReachedTargets } from '@davit/target'

import { FollowedMachine } from './followed-machine.ts'
import type { LogLine } from './log-line.ts'
import type { LogTerms, OpenLogs } from './log-terms.ts'
import { MachineLogs } from './machine-logs.ts'
import { mergeByTime } from './merge-lines.ts'
import { say, withoutRepetition } from './messages.ts'
import { namesOf } from './read-logs.ts'

export interface Following {
  /** Opens the machine of a target again once it was lost. */
  readonly open: OpenLogs
  /** Takes lines in order of time, as far as they came at a time; the next ones wait for it. */
  readonly emit: (lines: readonly LogLine[]) => Promise<void>
}

const PAUSE_MS = 1_000
/** Pause of a machine that does not answer. */
const RETRY_MS = 2_000
/** How long those that came first wait for others of about the same time. */
const GATHER_MS = 200
/** Reads logs until `signal` aborts, which rejects. A target that is lost, or was never reached, is tried until it answers. */
export async function followLogs(
  { targets, unreachable }: ReachedTargets<'logs'>,
  { open, emit }: Following,
  { report, ...rest }: LogTerms,
): Promise<never> {
  const terms = { ...rest, report: withoutRepetition(report) }
  const gather = gatherer(emit, terms.signal)
  const follow = (names: readonly TargetName[], machine?: Machine<'logs'>) =>
    followMachine(new FollowedMachine(new MachineLogs(names, terms), { machine, open, terms }), gather, terms)
  for (const [target, { message: reason }] of unreachable) terms.report(say('logs-interrupted', { target, reason }))
  await Promise.all([
    ...groupByMachine(targets.values()).map((group) => follow(namesOf(group), group[0].machine)),
    ...[...unreachable.keys()].map((target) => follow([target])),
  ])
  throw terms.signal.reason
}

async function followMachine(
  followed: FollowedMachine,
  gather: (lists: Lists) => Promise<void>,
  { signal }: LogTerms,
): Promise<void> {
  while (!signal.aborted) {
    // One after the other: a machine that is slow is not asked twice at a time.
    // oxlint-disable-next-line no-await-in-loop
    await gather(await followed.read())
    // oxlint-disable-next-line no-await-in-loop
    await delay(followed.isLost ? RETRY_MS : PAUSE_MS, undefined, { signal }).catch(() => {})
  }
}

type Lists = readonly (readonly LogLine[])[]

/** Returns a function that takes the lines of one machine, and resolves when they were passed on together with those of others. */
function gatherer(emit: Following['emit'], signal: AbortSignal): (lists: Lists) => Promise<void> {
  let waiting: (readonly LogLine[])[] = []
  let next: Promise<void> | undefined
  const flush = async () => {
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
