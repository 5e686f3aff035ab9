import { DavitError, type Diagnostic, hasCode } from '@davit/diagnostics'
import type { Infrastructure, Manifest, ProfileName, TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { reconstructManifest, type ReconstructionOptions } from '@davit/reconstruction'
import { type OriginalDeployment, originalLocked, originalMarks, type ReachedTargets } from '@davit/target'

import type { AdoptionMachines } from './give-back.ts'
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
  readonly machines: AdoptionMachines
  /** Whether what Disnix has deployed counts where records of davit contradict it. */
  readonly replace: boolean
}

/** Reads what Disnix has deployed, and refuses what cannot be adopted. */
export async function readAdoption(reached: ReachedTargets, terms: AdoptionTerms): Promise<Adoption> {
  const { manifest, originals } = await reconstructManifest(reached, {
    ...terms,
    prefer: undefined,
    originals: terms.replace ? 'replace' : 'adopt',
  }).catch(async (error: unknown) => {
    throw hasCode(error, 'original-locked') ? await withMarks(error, reached, terms.machines) : error
  })
  refuseLocked(originals)
  await refuseLackingModules(manifest, reached, { ...terms, originals })
  return { manifest, originals }
}

/** Adds what is there already. */
async function withMarks(
  error: DavitError,
  { targets }: ReachedTargets,
  machines: AdoptionMachines,
): Promise<DavitError> {
  const { code, message, exitStatus, hint, fields, diagnostics } = error
  const locked = new Set((fields as { readonly targets?: readonly string[] } | undefined)?.targets)
  const marked = await Promise.all(
    [...targets.values()].map(async (target): Promise<readonly Diagnostic[]> => {
      if (!locked.has(target.name)) return []
      const marks = await originalMarks(await machines.on(target))
      return marks.map(({ container, component }) => ({
        severity: 'error',
        message: `target '${target.name}': '${component}' in container '${container}' is marked as active`,
      }))
    }),
  )
  return new DavitError(code, message, {
    exitStatus,
    fields,
    ...(hint === undefined ? {} : { hint }),
    diagnostics: [...diagnostics, ...marked.flat()],
  })
}

/** Refuses deployments that Disnix is changing. */
export function refuseLocked(originals: Adoption['originals']): void {
  const locked = [...originals].filter(([, { isLocked }]) => isLocked)
  if (locked.length === 0) return
  throw originalLocked(new Map(locked.map(([target, { profile, lock }]) => [target, lock ?? `disnix-${profile}.lock`])))
}
