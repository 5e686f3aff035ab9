import type { ArchitectureModel } from '@davit/normalization'
import { interfaceKindOf } from '@davit/target'

/** Tells whether all targets are local, so that the store may be anywhere. */
export function hasOnlyLocalTargets({ infrastructure }: ArchitectureModel, clientInterface: string): boolean {
  return [...infrastructure.values()].every(
    (target) => interfaceKindOf(target.clientInterface ?? clientInterface) === 'local',
  )
}
