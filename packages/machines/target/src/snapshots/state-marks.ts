import type { ContainerName } from '@davit/documents'

import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import type { ActivityDefinition } from '../records/activity.ts'
import { definitionIn } from '../records/record.ts'
import type { Component } from './snapshot-store.ts'

export interface StateMark {
  /** Whether state is used by an active service, was left by one that is not active any more, or is not known. */
  readonly kind: 'in-use' | 'garbage' | 'unknown'
  /** How the service used it last; unknown if davit has not activated it. */
  readonly definition?: ActivityDefinition
  /** Name of the snapshot that has all of the state, as it was left. */
  readonly saved?: string
  /** Names of the snapshots from which the state has come. */
  readonly restored: readonly string[]
}

const LINE = /^(?:mark (?:activated|garbage)$|field |(?:saved|restored) [A-Za-z0-9_.+?=-]{1,255}$)/

/** Reads the markers of a component of a target. */
export async function readStateMark(
  machine: Machine<'state'>,
  { target, container, component }: Component & { readonly target: string },
): Promise<StateMark> {
  const lines = await machine.request('state_marks', [target, container, component])
  if (!lines.every((line) => LINE.test(line))) throw badAnswer(machine.address)
  const told = (fact: string) =>
    lines.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  const [saved] = told('saved')
  const past = { restored: told('restored'), ...(saved === undefined ? {} : { saved }) }
  const marks = told('mark')
  const kind = marks.includes('activated') ? 'in-use' : marks.length === 0 ? 'unknown' : 'garbage'
  const definition = definitionIn(recordIn(lines), container as ContainerName)
  return definition === undefined ? { kind, ...past } : { kind, definition, ...past }
}

/** Of the first marker: there are two if an activation was cut off. */
function recordIn(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line, index) => index > 0 && !line.startsWith('field '))
  return lines.slice(1, end === -1 ? undefined : end).map((line) => line.slice('field '.length))
}
