import type { Spot } from '../finding.ts'
import type { Body } from '../mufile/body.ts'
import type { Effective } from '../resolution/effective.ts'
import type { Bag } from '../resolution/read-stack.ts'
import type { FoundStack } from '../resolution/stack-file.ts'
import type { BoundValue } from '../values/bound-value.ts'

/** An instance of a stack in the tree; its parent is the writer of its arguments. */
export interface Instance {
  /** Name within its parent; that of the root is the name of its stack. */
  readonly name: string
  readonly fqn: string
  readonly parent: Instance | undefined
  readonly depth: number
  readonly isPublic: boolean
  readonly body: Body
  /** The stack around a nested one. */
  readonly outer: Effective | undefined
  /** Undefined for the root, and for nested stacks. */
  readonly found: FoundStack | undefined
  /** Those of the root are converted once its stack is bound. */
  args: Bag
  readonly spot: Spot
  /** By their names; private ones first, both in the order of their keys. */
  readonly children: Map<string, Instance>
  /** Missing until the stack has been bound. */
  effective: Effective | undefined
  /** Values of properties, in the order of their names; those without value are missing. */
  properties: ReadonlyMap<string, BoundValue>
  /** Services that its properties name, in the order of their names. */
  dependsOn: readonly Instance[]
}

/** The stack of an instance that was bound. */
export function stackOf({ effective, fqn }: Instance): Effective {
  if (effective === undefined) throw new Error(`the stack of '${fqn}' was not bound`)
  return effective
}

export function publicChildren({ children }: Instance): readonly Instance[] {
  return [...children.values()].filter(({ isPublic }) => isPublic)
}
