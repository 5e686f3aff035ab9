import type { Report } from '@davit/diagnostics'
import type { Steps } from '@davit/tool'

import { say } from './messages.ts'
import type { Order } from './options.ts'
import { distribute } from './tools.ts'
import { wordsOf } from './words.ts'

export interface Sending {
  readonly steps: Steps
  /** Makes the packages of the manifest that are missing here; absent where there are no models. */
  readonly remake?: (() => Promise<unknown>) | undefined
  readonly report: Report
}

/** Sends the packages of a manifest. Those of this machine that were altered are made again from the models before. */
export async function sendPackages(
  { on, repair }: Order,
  manifest: string,
  { steps, remake, report }: Sending,
): Promise<void> {
  const words = { on, replaceAltered: repair }
  if (remake !== undefined) {
    const printed = await steps.run(distribute, wordsOf({ ...words, listAltered: true }), manifest)
    // Otherwise it is the manifest.
    const altered = printed.split('\n').filter((line) => line.startsWith('/'))
    if (altered.length === 0) return
    for (const storePath of altered) report(say('package-remade', { storePath }))
    await remake()
  }
  await steps.run(distribute, wordsOf(words), manifest)
}
