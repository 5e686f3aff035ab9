import type { Place } from '@davit/diagnostics'
import type { Written } from '@davit/languages'
import { keyOf, placeOf } from '../finding.ts'
import type { Instance } from '../instances/instance.ts'
import { boundOf } from './ports-of.ts'

/** Keys of tables and indices of lists, from a property down to a value in it. */
type Path = readonly (string | number)[]

/** Tells where a value in a property is written; where what is around it is written, if it is not there, at last the service. */
export function placeOfValue(instance: Instance, property: string, ...path: Path): Place {
  return placeOf(writtenAt(instance, property, path) ?? instance.spot)
}

/** Tells where a key in a property is written. */
export function placeOfKey(instance: Instance, property: string, ...path: Path): Place {
  const written = writtenAt(instance, property, path)
  return placeOf(written === undefined ? instance.spot : keyOf(written))
}

function writtenAt(instance: Instance, property: string, path: Path): Written | undefined {
  let written = boundOf(instance, property)
  for (const step of path) {
    const inner = written && memberOf(written, step)
    if (inner === undefined) return written
    written = inner
  }
  return written
}

function memberOf(written: Written, step: string | number): Written | undefined {
  if (written.kind === 'table') return written.members.get(String(step))
  return written.kind === 'list' ? written.items[Number(step)] : undefined
}
