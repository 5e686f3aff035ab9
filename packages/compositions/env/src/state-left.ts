import type { Manifest } from '@davit/documents'
import { optionsFor } from '@davit/tool'

import type { Surroundings } from './deploy.ts'
import type { GivenManifest } from './make-manifest.ts'
import type { Order } from './options.ts'
import { toMoveState } from './tools.ts'

/** Deletes, or shows with `--dry-run`, what the services of the manifest before have left behind. */
export async function deleteLeftState(
  order: Order,
  deployed: GivenManifest & { readonly old: Manifest },
  { context, steps }: Surroundings,
): Promise<void> {
  const { deleteStateDescription: description, deleteState } = await toMoveState()
  await steps.as(description, (run) => {
    const trustPrograms = order.trustPrograms || !order.dryRun
    const options = optionsFor(description, { ...order, onceDeployed: order.dryRun, trustPrograms }, run)
    return deleteState(deployed, options, { ...run, print: context.print })
  })
}

/** Removes all but the last snapshots of the services of a manifest. */
export async function cleanSnapshots(
  order: Order & { readonly keep: number },
  { value: manifest }: GivenManifest,
  { context, steps }: Surroundings,
): Promise<void> {
  const { cleanSnapshotsDescription: description, cleanStores } = await toMoveState()
  await steps.as(description, (run) => {
    const options = { ...optionsFor(description, { ...order, trustPrograms: true }, run), keep: order.keep }
    const stores = { infrastructure: manifest.infrastructure, manifest }
    return cleanStores(stores, options, { ...run, print: context.print })
  })
}
