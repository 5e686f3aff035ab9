import type { Report } from '@davit/diagnostics'
import { optionsFor, type Steps } from '@davit/tool'

import type { GivenManifest } from './make-manifest.ts'
import { say } from './messages.ts'
import type { Order } from './options.ts'
import { toDistribute } from './tools.ts'

export interface Sending {
  readonly steps: Steps
  readonly context: { readonly report: Report }
  /** Makes the packages of the manifest that are missing here; absent where there are no models. */
  readonly remake?: (() => Promise<unknown>) | undefined
}

/** Sends the packages of a manifest. Those of this machine that were altered are made again from the models before. */
export async function sendPackages(
  order: Order,
  manifest: GivenManifest,
  { steps, remake, context }: Sending,
): Promise<void> {
  const { description, distributePackages } = await toDistribute()
  const send = (listAltered: boolean) =>
    steps.as(description, (run) => {
      const options = optionsFor(description, { ...order, replaceAltered: order.repair, listAltered }, run)
      return distributePackages(manifest, options, run)
    })
  const altered = await send(remake !== undefined)
  if (altered.length === 0 || remake === undefined) return
  for (const storePath of altered) context.report(say('package-remade', { storePath }))
  await remake()
  await send(false)
}
