import type { Manifest, ServiceName, StorePath, TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'

import { byTarget } from './by-target.ts'

/** Package of a service on a target. */
export interface PlacedPackage {
  readonly target: TargetName
  readonly service: ServiceName
  readonly pkg: StorePath
}

/**
 * Returns the packages that the profile of each target links to, without duplicates: its own packages first, then those of the services
 * placed there, by name of the service.
 */
export function linkedPackages(
  { infrastructure }: Pick<Manifest, 'infrastructure'>,
  placed: readonly PlacedPackage[],
  ownOf: (target: TargetName) => readonly StorePath[] = () => [],
): ReadonlyMap<TargetName, readonly StorePath[]> {
  const groups = byTarget({ infrastructure }, placed)
  return new Map(
    [...groups].map(([target, packages]) => {
      const inOrder = packages.toSorted((left, right) => compareText(left.service, right.service))
      return [target, [...new Set([...ownOf(target), ...inOrder.map(({ pkg }) => pkg)])]]
    }),
  )
}
