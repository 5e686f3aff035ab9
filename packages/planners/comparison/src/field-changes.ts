import { isSecret, type Properties, type PropertyValue } from '@davit/documents'
import { writeJson } from '@davit/languages'

import type { FieldChange } from './difference.ts'
import { fromTo, namesOfBoth } from './tables.ts'

/** Finds what differs in two tables, down to the innermost tables. A reference to a secret counts as one value. */
export function fieldChanges(before: Properties, after: Properties): readonly FieldChange[] {
  const changes: FieldChange[] = []
  const pending = [{ path: [] as readonly string[], before, after }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of namesOfBoth(next.before, next.after)) {
      const path = [...next.path, name]
      const [from, to] = [next.before.get(name), next.after.get(name)]
      if (isSameValue(from, to)) continue
      if (isTable(from) && isTable(to)) pending.push({ path, before: from, after: to })
      else changes.push({ path, ...fromTo(from, to) })
    }
  }
  return changes.sort((left, right) => compareLists(left.path, right.path))
}

/** Compares values exactly: the number `1.0` is not `1`, and no value is not an empty one. */
export function isSameValue(left: PropertyValue | undefined, right: PropertyValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return typeof left === 'string' && typeof right === 'string' ? left === right : writeJson(left) === writeJson(right)
}

function isTable(value: PropertyValue | undefined): value is Properties {
  return value instanceof Map && !isSecret(value)
}

function compareLists(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((name, at) => name !== right[at])
  const [one = '', other = ''] = [left[index], right[index]]
  return one < other ? -1 : 1
}
