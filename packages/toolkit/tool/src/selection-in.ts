import { DavitError, quoted } from '@davit/diagnostics'
import type { Manifest, TargetName } from '@davit/documents'
import {
  differsOutside,
  emptyError,
  isEmptySelection,
  parseTerms,
  selectedTargets,
  type Selection,
  selectIn,
  unmatchedError,
  unmatchedIn,
} from '@davit/selection'

/**
 * What the values of `--on` select of manifests, the first of which is the one to act on; undefined if there are none. Throws a DavitError
 * if a value matches nothing, or if nothing is left.
 */
export function selectionIn(manifests: readonly Manifest[], on: readonly string[]): Selection | undefined {
  if (on.length === 0) return undefined
  const terms = parseTerms(on)
  const unmatched = unmatchedIn(manifests, terms)
  if (unmatched.length > 0) throw unmatchedError(unmatched, manifests)
  const selection = selectIn(manifests, terms)
  if (isEmptySelection(selection)) throw emptyError()
  return selection
}

/** The entries of a table by target on which something is selected; all of them if nobody has selected anything. */
export function onSelected<Value>(
  table: ReadonlyMap<TargetName, Value>,
  selection: Selection | undefined,
): Map<TargetName, Value> {
  if (selection === undefined) return new Map(table)
  const names = selectedTargets(selection)
  return new Map([...table].filter(([name]) => names.has(name)))
}

/** Refuses a manifest that says something new of what is not selected: only its part may be deployed. */
export function refuseMore(next: Manifest, current: Manifest | undefined, selection: Selection | undefined): void {
  if (selection === undefined) return
  const targets = differsOutside(next, { current, selection })
  if (targets.length === 0) return
  const names = targets.map(quoted).join(', ')
  throw new DavitError(
    'part-not-alone',
    `the manifest changes more than what is selected: also something on ${names}`,
    {
      hint: 'nothing was done; davit-select, with the same --on, prints the part that is selected',
    },
  )
}
