import { type DeploymentPlace, placeIn } from '@davit/coordinator-state'
import { parseProfileName, type ProfileName } from '@davit/documents'

import { coordinatorDirectory, type StateOwner } from './state-directory.ts'

export interface NamedDeployment {
  readonly profile: ProfileName
  /** Directory of the deployment on this coordinator. */
  readonly place: DeploymentPlace
}

/** The deployment that `--profile` names. */
export function deploymentOf(context: StateOwner & { readonly args: { readonly profile: string } }): NamedDeployment {
  const profile = parseProfileName(context.args.profile)
  return { profile, place: placeIn(coordinatorDirectory(context), profile) }
}
