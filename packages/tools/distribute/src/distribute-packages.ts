import type { DavitError } from '@davit/diagnostics'
import { alteredPaths, distribute, distributionError, distributionInterrupted } from '@davit/distribution'
import { type Manifest, parseProfileName } from '@davit/documents'
import { openStore } from '@davit/store'
import { checkModulesHere } from '@davit/target'
import { type ArgumentsOf, type DocumentInput, onSelected, type Run, selectionFor, withTargets } from '@davit/tool'

import type { description } from './description.ts'
import { say } from './messages.ts'

export type DistributeOptions = ArgumentsOf<typeof description.options, Record<never, never>>

/**
 * Sends the closures of profiles to their targets. With `listAltered`, returns the packages of this machine that were altered, if
 * there are any; otherwise these are an error.
 */
export async function distributePackages(
  { value: manifest, text }: Pick<DocumentInput<Manifest>, 'value' | 'text'>,
  options: DistributeOptions,
  { journal, ...run }: Run,
): Promise<readonly string[]> {
  const profile = parseProfileName(options.profile)
  await checkModulesHere(manifest)
  const store = await openStore(manifest.store, run)
  journal({ profile, manifest: text }, 'preparation')
  if (options.useSubstitutes && store.kind === 'native') run.report(say('no-caches'))
  const selection = await selectionFor(manifest, { ...run, args: options })
  const { maxConcurrentTransfers: maxTransfers, useSubstitutes, replaceAltered } = options
  const unreachable = options.skipUnreachable ? 'skip' : 'refuse'
  const outcome = await withTargets(
    onSelected(manifest.infrastructure, selection),
    { ...run, role: 'carry', manifests: [], trust: 'everything' },
    (reached) =>
      distribute(manifest, reached, { ...run, store, maxTransfers, useSubstitutes, replaceAltered, unreachable }),
  )
  const { aborted, reason } = run.signal
  if (aborted) throw distributionInterrupted(reason as DavitError, outcome)
  const altered = options.listAltered ? alteredPaths(outcome) : []
  if (altered.length === 0 && outcome.failed.size > 0) throw distributionError(outcome)
  return altered
}
