import type { DeploymentPlace } from '@davit/coordinator-state'
import type { Infrastructure, Manifest, ProfileName, StoreReference } from '@davit/documents'
import type { Environment, ProcessIdentity } from '@davit/process'

/** What is looked at, and from where. */
export interface CheckupTerms {
  readonly profile: ProfileName
  /** Directory of the deployment on this coordinator. */
  readonly place: DeploymentPlace
  readonly infrastructure: Infrastructure
  /** What should be deployed, if that is known. */
  readonly expected: Manifest | undefined
  /** Number of the current generation, if there is one. */
  readonly generation: number | undefined
  readonly store: StoreReference
  readonly environment: Environment
  /** Path through which the tool was called. */
  readonly executable: string
  /** Version of davit. */
  readonly version: string
  readonly here: ProcessIdentity
  readonly signal: AbortSignal
}

/** Words that name the deployment in commands to type. */
export function forProfile({ profile }: Pick<CheckupTerms, 'profile'>): string {
  return profile === 'default' ? '' : ` -p ${profile}`
}

/** Command that brings a deployment back to what it should be. */
export function deployAgain({ profile, generation }: Pick<CheckupTerms, 'profile' | 'generation'>): string {
  if (generation === undefined) return `davit-env${forProfile({ profile })}, with the models`
  return `davit-env --switch-to-generation ${generation}${forProfile({ profile })}`
}
