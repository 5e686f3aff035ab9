import type { PlanDocument } from '@davit/documents'

import { changedServices } from './diff-lines.ts'

/** A service with another package than the one that is active. */
export interface ChangedPackage {
  readonly service: string
  readonly from: string
  readonly to: string
}

/** What changes in the files of packages: for each service, lines of a unified diff, or why there is none. */
export type FileChanges = ReadonlyMap<string, readonly string[]>

/** Services whose package changes, in order of names. */
export function changedPackages(plan: PlanDocument): readonly ChangedPackage[] {
  return changedServices(plan).flatMap(({ service, changes }) =>
    changes.flatMap((change) => (change.kind === 'package' ? [{ service, from: change.from, to: change.to }] : [])),
  )
}
