import type { DavitError } from '@davit/diagnostics'
import { alteredPaths, distribute, distributionError, distributionInterrupted } from '@davit/distribution'
import { Manifest, parseProfileName } from '@davit/documents'
import { openStore } from '@davit/store'
import { checkModulesHere } from '@davit/target'
import { defineTool, onSelected, selectionFor, withTargets } from '@davit/tool'

import { description } from './description.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  ...description,
  async run({ args, print, readDocument, journal, ...context }) {
    const profile = parseProfileName(args.profile)
    const { value: manifest, text } = await readDocument(Manifest, args.manifest)
    await checkModulesHere(manifest)
    const store = await openStore(manifest.store, context)
    journal({ profile, manifest: text }, 'preparation')
    if (args.useSubstitutes && store.kind === 'native') context.report(say('no-caches'))
    const selection = await selectionFor(manifest, { ...context, args })
    const outcome = await withTargets(
      onSelected(manifest.infrastructure, selection),
      { ...context, role: 'carry', manifests: [], trust: 'everything' },
      (reached) =>
        distribute(manifest, reached, {
          ...context,
          store,
          maxTransfers: args.maxConcurrentTransfers,
          useSubstitutes: args.useSubstitutes,
          replaceAltered: args.replaceAltered,
          unreachable: args.skipUnreachable ? 'skip' : 'refuse',
        }),
    )
    const { aborted, reason } = context.signal
    if (aborted) throw distributionInterrupted(reason as DavitError, outcome)
    const altered = args.listAltered ? alteredPaths(outcome) : []
    if (altered.length > 0) return print(altered.map((path) => `${path}\n`).join(''))
    if (outcome.failed.size > 0) throw distributionError(outcome)
    await print(text)
  },
})
