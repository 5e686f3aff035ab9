import { optionsFor, type Steps } from '@davit/tool'
import type { Manifest } from '@davit/documents'

import type { Change } from './deploy.ts'
import type { GivenManifest } from './make-manifest.ts'
import type { Order } from './options.ts'
import { toSelect } from './tools.ts'

interface Selected {
  /** The order, with what is selected in words that mean the same to each step. */
  readonly order: Order
  readonly change: Change
}

/** Limits a change to what is selected. A part is a generation of its own, unless it is all of the generation to return to. */
export async function selected(order: Order, change: Change, steps: Steps): Promise<Selected> {
  const part = await partOf(change.next, { ...order, old: undefined }, steps)
  if (part === undefined) return { order, change }
  const { next, on } = part
  const generation = next.text === change.next.text ? change.generation : undefined
  return { order: { ...order, on }, change: { ...change, next, generation } }
}

interface PartTerms {
  readonly profile: string
  readonly on: readonly string[]
  /** What is deployed, unless that is the current generation. */
  readonly old: Manifest | undefined
}

/** The part of a manifest that `--on` selects, and what that is in words without patterns; undefined if it says nothing. */
export async function partOf(
  given: GivenManifest,
  order: PartTerms,
  steps: Steps,
): Promise<{ readonly next: GivenManifest; readonly on: readonly string[] } | undefined> {
  if (order.on.length === 0) return undefined
  const { description, selectPart } = await toSelect()
  return steps.as(description, async (run) => {
    const { old } = order
    const found = await selectPart(given, { ...optionsFor(description, order, run), old }, run)
    return found && { next: await found.part(), on: found.terms }
  })
}
