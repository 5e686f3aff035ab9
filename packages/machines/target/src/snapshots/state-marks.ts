import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import type { Component } from './snapshot-store.ts'

/** Whether state is used by an active service, was left by one that is not active any more, or is not known. */
export type StateMark = 'in-use' | 'garbage' | 'unknown'

/** Reads the markers of a component of a target. */
export async function readStateMark(
  machine: Machine<'state'>,
  { target, container, component }: Component & { readonly target: string },
): Promise<StateMark> {
  const lines = await machine.request('state_marks', [target, container, component])
  if (!lines.every((line) => /^mark (?:activated|garbage)$/.test(line))) throw badAnswer(machine.address)
  if (lines.includes('mark activated')) return 'in-use'
  return lines.length === 0 ? 'unknown' : 'garbage'
}
