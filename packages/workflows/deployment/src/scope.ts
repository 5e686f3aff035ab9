import type { Manifest, TargetName } from '@davit/documents'
import { isSelected, type Selection } from '@davit/selection'
import type { ShellTarget } from '@davit/target'
import type { PlacedService } from '@davit/transition'

interface Scope {
  /** All that may be touched; undefined if everything may be. */
  readonly selection?: Selection | undefined
  readonly unreachable: ReadonlySet<TargetName>
}

/** Whether a service is where it was observed, and may be touched. */
export function isInScope(
  { service: { name: service }, mapping: { target } }: PlacedService,
  { selection, unreachable }: Scope,
): boolean {
  return !unreachable.has(target) && (selection === undefined || isSelected(selection, { service, target }))
}

/** Targets of the manifest that were passed over. */
export function unreachableOf(next: Manifest, targets: readonly ShellTarget[]): ReadonlySet<TargetName> {
  const reached = new Set(targets.map(({ name }) => name))
  return new Set([...next.infrastructure.keys()].filter((name) => !reached.has(name)))
}
