import { DavitError, ExitStatus, type Report } from '@davit/diagnostics'
import type { Manifest, ProfileName, StoreReference } from '@davit/documents'
import { giveBack, type Machine, type ShellTarget } from '@davit/target'

import { say } from './messages.ts'
import { placedBy } from './placed.ts'

/** Opens helpers for adoption on the machines of targets. */
export interface AdoptionMachines {
  on(place: ShellTarget): Promise<Machine<'adopt'>>
}

export interface GivingTerms {
  readonly profile: ProfileName
  readonly token: string
  readonly machines: AdoptionMachines
  readonly report: Report
}

/**
 * Makes the profiles of a manifest those of Disnix too, with what Dysnomia has to know. A client executable has done that by itself when it
 * has set a profile.
 */
export async function givenBackTo(
  manifest: Manifest,
  targets: readonly ShellTarget[],
  { profile, token, machines, report }: GivingTerms,
): Promise<void> {
  const placedOn = placedBy(manifest)
  await Promise.all(
    targets.map(async (target) => {
      const path = manifest.profiles.get(target.name)
      if (path === undefined || target.machine.client !== undefined) return
      const { components } = placedOn(target.name)
      const given = await giveBack(await machines.on(target), { target: target.name, profile, token, path, components })
      report(say(given.kind === 'set' ? 'original-set' : 'original-unchanged', { target: target.name }))
      const unreadable = given.unreadable.map(({ container, component }) => `${container}/${component}`)
      if (unreadable.length > 0)
        report(say('snapshots-not-given', { target: target.name, components: [...new Set(unreadable)] }))
    }),
  )
}

/** Refuses packages that Disnix cannot have. */
export function refuseOtherStore({ kind }: StoreReference): void {
  if (kind === 'nix') return
  throw new DavitError('original-needs-nix', 'Disnix knows only packages in the store of Nix', {
    exitStatus: ExitStatus.badDocument,
    hint: 'nothing was done; omit --original-profile, or deploy with the store of Nix',
  })
}
