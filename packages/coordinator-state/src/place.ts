import { join } from 'node:path'

import type { ProfileName } from '@davit/documents'

/** Whose state: a deployment's, below the state directory of this user. */
export interface CoordinatorPlace {
  readonly stateDirectory: string
  readonly profile: ProfileName
}

export function placeOf({ stateDirectory, profile }: CoordinatorPlace): string {
  return join(stateDirectory, 'coordinator', profile)
}
