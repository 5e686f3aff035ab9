import type { Origin } from '@davit/coordinator-state'
import type { MadeFrom } from '@davit/documents'
import { writeJson } from '@davit/languages'

import type { ListedGeneration } from './list-generations.ts'

/** Encodes the list of generations as a document in JSON. */
export function encodeGenerations(profile: string, generations: readonly ListedGeneration[]): string {
  const listed = generations.map(fieldsOf)
  return `${writeJson({ document: 'generations', version: 1, profile, generations: listed })}\n`
}

/** Encodes what is known about a generation as a document in JSON. */
export function encodeGeneration(
  profile: string,
  generation: ListedGeneration,
  madeFrom: MadeFrom | undefined,
): string {
  return `${writeJson({ document: 'generation', version: 1, profile, ...fieldsOf(generation), madeFrom })}\n`
}

function fieldsOf({ number, isCurrent, content }: ListedGeneration) {
  const isReadable = content !== undefined
  if (!isReadable) return { number, isCurrent, isReadable }
  const { origin, services, targets } = content
  return { number, isCurrent, isReadable, ...whoAndWhen(origin), services, targets }
}

/** Who is unknown if it was not recorded. */
function whoAndWhen({ time, user, sudoUser, host }: Origin) {
  const known = Object.entries({ user, sudoUser, host }).filter(([, name]) => name !== undefined && name !== '')
  return { time: time.toISOString(), ...Object.fromEntries(known) }
}
