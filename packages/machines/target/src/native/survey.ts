import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { parseRegistration, type Registration, type StoreLayout } from '@davit/store'
import { decodeField } from '@davit/target-runtime'

import type { Machine } from '../machine.ts'

/** A path that is kept, and what keeps it: the name of a root, with `profile:TARGET:PROFILE/N-link` for a profile of this account. */
export interface StoreRoot {
  readonly path: StorePath
  readonly by: string
  /** When a path that is protected for a day was protected last; missing if the machine cannot tell. */
  readonly since?: Date
}

export interface StoredBytes {
  readonly path: StorePath
  readonly bytes: number
}

/** What a machine reports of its native store (see `operation_native_survey`). */
export interface NativeSurvey {
  /** Checksum of all that keeps paths. */
  readonly sum: string
  readonly roots: readonly StoreRoot[]
  /** The time by the machine's clock. */
  readonly now: Date
  /** Whether a deployment holds a lock there. */
  readonly isLocked: boolean
  readonly valid: readonly Registration[]
  readonly rubbish: readonly StoredBytes[]
}

/** Parses what a machine reports, strictly: no path outside the store is ever sent back to be removed. */
export function parseSurvey(
  lines: readonly string[],
  { directory }: StoreLayout,
  { address }: Pick<Machine, 'address'>,
): NativeSurvey {
  const about = (kind: string) =>
    lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1))
  const [sum = ''] = about('sum')
  if (!/^[0-9a-f]+$/.test(sum)) {
    throw new DavitError('bad-answer', `'${address}' sent an answer that davit does not understand`, {
      exitStatus: ExitStatus.unreachable,
    })
  }
  const kept = about('kept')
  const since = new Map(kept.flatMap(sinceIn))
  return {
    sum,
    now: dateIn(about('now')[0]) ?? new Date(),
    isLocked: kept.includes('locked'),
    roots: kept.flatMap((text) => rootOf(directory, text, since)),
    valid: about('valid').flatMap((text) => registrationOf(directory, text)),
    rubbish: about('rubbish').flatMap((text) => rubbishOf(directory, text)),
  }
}

const NAME = /^[0-9a-z]{32}-[A-Za-z0-9_.+?=-]+$/

/** Converts kilobytes; implausible numbers count as 0. */
function bytesOf(kilobytes = ''): number {
  return /^\d{1,12}$/.test(kilobytes) ? Number(kilobytes) * 1024 : 0
}

const SINCE = /^(\S+) since (.*)$/

function sinceIn(line: string): readonly (readonly [string, Date])[] {
  const [, name = '', time] = SINCE.exec(line) ?? []
  const date = dateIn(time)
  return date === undefined ? [] : [[name, date]]
}

/** Parses a time in UTC, which a fraction of a second may follow. */
function dateIn(text = ''): Date | undefined {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(text) ?? []
  const date = new Date(`${day}T${time}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Parses a root, which is a store path or a path inside one. */
function rootOf(directory: string, line: string, times: ReadonlyMap<string, Date>): readonly StoreRoot[] {
  if (SINCE.test(line)) return []
  const [word = '', ...words] = line.split(' ')
  const text = decodeField(word)
  const inStore = text.startsWith(`${directory}/`) ? text.slice(directory.length + 1) : text
  const [name = ''] = inStore.split('/')
  if (!NAME.test(name)) return []
  const by = words.join(' ')
  const since = by === 'temporary' ? times.get(name) : undefined
  return [{ path: `${directory}/${name}` as StorePath, by, ...(since === undefined ? {} : { since }) }]
}

function registrationOf(directory: string, text: string): readonly Registration[] {
  const [, path = ''] = /"path":"([^"]*)"/.exec(text) ?? []
  if (!path.startsWith(`${directory}/`) || !NAME.test(path.slice(directory.length + 1))) return []
  const registration = parseRegistration(text, path as StorePath)
  return registration === undefined ? [] : [registration]
}

function rubbishOf(directory: string, text: string): readonly StoredBytes[] {
  const [name = '', kilobytes] = text.split(' ')
  return NAME.test(name) ? [{ path: `${directory}/${name}` as StorePath, bytes: bytesOf(kilobytes) }] : []
}
