import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { parseRegistration, type Registration, type StoreLayout } from '@davit/store'
import { decodeField } from '@davit/target-runtime'

import type { Machine } from '../machine.ts'

/** A path that is kept, and by what: the name of a root, and for a profile of this account `profile:TARGET:PROFILE/N-link`. */
export interface StoreRoot {
  readonly path: StorePath
  readonly by: string
  /** What is kept for a day: when it was to be kept last; nothing where the machine cannot tell. */
  readonly since?: Date
}

export interface StoredBytes {
  readonly path: StorePath
  readonly bytes: number
}

/** What a machine says of its native store (see `operation_native_survey`). */
export interface NativeSurvey {
  /** Of all that is kept. */
  readonly sum: string
  readonly roots: readonly StoreRoot[]
  /** What its clock says. */
  readonly now: Date
  /** Whether a deployment holds a lock there. */
  readonly isLocked: boolean
  readonly valid: readonly Registration[]
  readonly rubbish: readonly StoredBytes[]
}

/** What comes from a machine is looked at closely: nothing outside of the store is ever named to it. */
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

/** What a machine can hold. */
function bytesOf(kilobytes = ''): number {
  return /^\d{1,12}$/.test(kilobytes) ? Number(kilobytes) * 1024 : 0
}

const SINCE = /^(\S+) since (.*)$/

function sinceIn(line: string): readonly (readonly [string, Date])[] {
  const [, name = '', time] = SINCE.exec(line) ?? []
  const date = dateIn(time)
  return date === undefined ? [] : [[name, date]]
}

/** In UTC; a fraction of a second may follow. */
function dateIn(text = ''): Date | undefined {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(text) ?? []
  const date = new Date(`${day}T${time}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Named by itself, or by a path in it. */
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
