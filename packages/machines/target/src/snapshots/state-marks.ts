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
}

/** Reads the markers of a component of a target. */
export async function readStateMark(
  machine: Machine<'state'>,
  { target, container, component }: Component & { readonly target: string },
): Promise<StateMark> {
  const lines = await machine.request('state_marks', [target, container, component])
  if (!lines.every((line) => /^(?:mark (?:activated|garbage)$|field )/.test(line))) throw badAnswer(machine.address)
  const kind = lines.includes('mark activated') ? 'in-use' : lines.length === 0 ? 'unknown' : 'garbage'
  // Of the first marker: there are two if an activation was cut off.
  const end = lines.findIndex((line, index) => index > 0 && line.startsWith('mark '))
  const record = lines.slice(1, end === -1 ? undefined : end)
  const definition = definitionIn(
    record.map((line) => line.slice('field '.length)),
    container as ContainerName,
  )
  return definition === undefined ? { kind } : { kind, definition }
}
