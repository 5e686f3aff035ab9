import { type DeploymentPlace, readWanted } from '@davit/coordinator-state'
import { DavitError, quoted } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { differsOutside, type Selection } from '@davit/selection'

/** Refuses to leave out something on which a run had begun that was cut off: what is there then is not what the generation says. */
export async function refuseUnfinished(
  place: DeploymentPlace,
  left: { readonly current: Manifest; readonly selection: Selection },
): Promise<void> {
  const wanted = await readWanted(place)
  if (wanted === undefined) return
  const targets = differsOutside(wanted.manifest, left)
  if (targets.length === 0) return
  throw new DavitError(
    'part-unfinished',
    `a run was cut off that had begun to change ${targets.map(quoted).join(', ')}, which would be left out`,
    {
      hint: "nothing was done; 'davit-env --resume' continues it, 'davit-env --abort' takes it back, and a run without --on does it as well",
    },
  )
}
