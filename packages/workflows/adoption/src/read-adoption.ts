import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Infrastructure, Manifest, ProfileName, TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { reconstructManifest, type ReconstructionOptions } from '@davit/reconstruction'
import type { OriginalDeployment, ReachedTargets } from '@davit/target'

import { refuseLackingModules } from './refuse-lacking-modules.ts'

/** What is deployed: by Disnix on the targets of `originals`, by davit on all others. */
export interface Adoption {
  readonly manifest: Manifest
  /** Deployments of Disnix that are to be adopted. */
  readonly originals: ReadonlyMap<TargetName, OriginalDeployment>
}

export interface AdoptionTerms extends Pick<ReconstructionOptions, 'partial' | 'report' | 'signal'> {
  readonly infrastructure: Infrastructure
  readonly profile: ProfileName
  readonly modules: ReadonlyMap<string, LifecycleModule>
  /** Whether what Disnix has deployed counts where records of davit contradict it. */
  readonly replace: boolean
}

/** Reads what Disnix has deployed, and refuses what cannot be adopted. */
export async function readAdoption(reached: ReachedTargets, terms: AdoptionTerms): Promise<Adoption> {
  const { manifest, originals } = await reconstructManifest(reached, {
    ...terms,
    prefer: undefined,
    originals: terms.replace ? 'replace' : 'adopt',
  })
  refuseLocked(originals)
  await refuseLackingModules(manifest, reached, { ...terms, originals })
  return { manifest, originals }
}

/** Refuses deployments that Disnix is changing. */
export function refuseLocked(originals: Adoption['originals']): void {
  const locked = [...originals].filter(([, { isLocked }]) => isLocked)
  if (locked.length === 0) return
  throw new DavitError('original-locked', 'Disnix is at work on this deployment, or has left its lock', {
    exitStatus: ExitStatus.locked,
    fields: { targets: locked.map(([target]) => target) },
    diagnostics: locked.map(([target, { profile }]) => ({
      severity: 'error',
      message: `target '${target}': 'disnix-${profile}.lock' is in its directory of temporary files`,
    })),
    hint: 'nothing was done; wait until it has finished, or remove the file if nobody is at work',
  })
}
