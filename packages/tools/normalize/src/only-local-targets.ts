import { isClientExecutable } from '@davit/documents'
import type { ArchitectureModel } from '@davit/normalization'
import { interfaceKindOf } from '@davit/target'

/** Tells whether all targets are local, so that the store may be anywhere. */
export function hasOnlyLocalTargets({ infrastructure }: ArchitectureModel, clientInterface: string): boolean {
  return [...infrastructure.values()].every(
    (target) => interfaceKindOf(target.clientInterface ?? clientInterface) === 'local',
  )
}

/** Returns the names of targets behind client executables, which carry packages of the Nix store only. */
export function clientTargets({ infrastructure }: ArchitectureModel, clientInterface: string): readonly string[] {
  return [...infrastructure].flatMap(([name, target]) =>
    isClientExecutable(target.clientInterface ?? clientInterface) ? [name] : [],
  )
}
