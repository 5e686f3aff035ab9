import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { parseRegistration, type Registration, type StoreLayout } from '@davit/store'
import { decodeField } from '@davit/target-runtime'

import type { Collector } from './collector.ts'

/** A path that is kept, and by what: the name of a root, and for a profile of this account `profile:TARGET:PROFILE/N-link`. */
export interface StoreRoot {
  readonly path: StorePath
  readonly by: string
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
  readonly valid: readonly Registration[]
  readonly rubbish: readonly StoredBytes[]
}

/** What comes from a machine is looked at closely: nothing outside of the store is ever named to it. */
export function parseSurvey(
  lines: readonly string[],
  { directory }: StoreLayout,
  { address }: Collector,
): NativeSurvey {
  const about = (kind: string) =>
    lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1))
  const [sum = ''] = about('sum')
  if (!/^[0-9a-f]+$/.test(sum)) {
    throw new DavitError('bad-answer', `'${address}' sent an answer that is none of ours`, {
      exitStatus: ExitStatus.unreachable,
    })
  }
  return {
    sum,
    roots: about('kept').flatMap((text) => rootOf(directory, text)),
    valid: about('valid').flatMap((text) => registrationOf(directory, text)),
    rubbish: about('rubbish').flatMap((text) => rubbishOf(directory, text)),
  }
}

const NAME = /^[0-9a-z]{32}-[A-Za-z0-9_.+?=-]+$/

/** What a machine can hold. */
function bytesOf(kilobytes = ''): number {
  return /^\d{1,12}$/.test(kilobytes) ? Number(kilobytes) * 1024 : 0
}

/** Named by itself, or by a path in it. */
function rootOf(directory: string, line: string): readonly StoreRoot[] {
  const [word = '', ...by] = line.split(' ')
  const text = decodeField(word)
  const inStore = text.startsWith(`${directory}/`) ? text.slice(directory.length + 1) : text
  const [name = ''] = inStore.split('/')
  return NAME.test(name) ? [{ path: `${directory}/${name}` as StorePath, by: by.join(' ') }] : []
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
