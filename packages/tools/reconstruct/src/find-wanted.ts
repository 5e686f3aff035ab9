import { readWanted, type ReadWantedRun } from '@davit/coordinator-state'
import { encodeDocument, type Infrastructure, type MadeFrom, Manifest } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { wantedManifest, type WantedOptions } from '@davit/reconstruction'
import { deploymentOf, infrastructureOf, type StepContext, trustToLook, usageError, withTargets } from '@davit/tool'

import { formatIn } from './check-arguments.ts'
import { say } from './messages.ts'

interface Arguments {
  readonly profile: string
  readonly infrastructure: string | undefined
  readonly prefer: 'profile' | 'records' | WantedOptions['prefer']
  readonly format: 'xml' | 'json' | undefined
  readonly interface: string
  readonly targetProperty: string
  readonly trustPrograms: boolean
}

/** What a run wanted that was cut off. */
export interface WantedDeployment {
  readonly value: Manifest
  readonly text: string
  /** What its generation is made from; undefined if only the targets know of the run. */
  readonly madeFrom: MadeFrom | undefined
}

/** Finds out what a run wanted that was cut off; undefined if there is none. Fetches the packages of what only the targets know. */
export async function findWanted(
  context: StepContext<Arguments>,
  fetch: (manifest: Manifest) => Promise<void>,
): Promise<WantedDeployment | undefined> {
  const { place } = deploymentOf(context)
  const recorded = await readWanted(place)
  const found = await find(recorded, context)
  if (found === 'nothing') return reportNothing(recorded, context)
  if (found === 'as-recorded') {
    if (recorded === undefined) return undefined
    const { transition: _, ...madeFrom } = recorded.madeFrom ?? {}
    return { value: recorded.manifest, text: recorded.text, madeFrom }
  }
  await fetch(found)
  return { value: found, text: encodeDocument(Manifest, found, formatIn(context.args)), madeFrom: undefined }
}

function reportNothing(recorded: ReadWantedRun | undefined, context: StepContext<Arguments>): undefined {
  const { args, report } = context
  report(say('nothing-wanted', { profile: deploymentOf(context).profile }))
  if (recorded === undefined && args.infrastructure === undefined) report(say('targets-not-asked', {}))
}

async function find(
  recorded: ReadWantedRun | undefined,
  context: StepContext<Arguments>,
): Promise<'nothing' | 'as-recorded' | Manifest> {
  const prefer = preferenceIn(context.args.prefer)
  if (recorded === undefined) {
    const isAsked = context.args.infrastructure !== undefined && prefer !== 'coordinator'
    return isAsked ? askTargets(undefined, prefer, context) : 'nothing'
  }
  // Nobody but this coordinator knows of such a run.
  const isOurs = !recorded.isTold && prefer !== 'targets'
  return isOurs ? 'as-recorded' : askTargets(recorded, prefer, context)
}

async function askTargets(
  recorded: ReadWantedRun | undefined,
  prefer: WantedOptions['prefer'],
  context: StepContext<Arguments>,
): Promise<'nothing' | 'as-recorded' | Manifest> {
  const { profile } = deploymentOf(context)
  const infrastructure = await infrastructureWith(recorded, context)
  const trust = await trustToLook(context)
  const options = { ...context, infrastructure, profile, prefer, recorded: recorded?.manifest }
  const found = await withTargets(infrastructure, { ...context, role: 'deploy', manifests: [], trust }, (reached) =>
    wantedManifest(reached, options),
  )
  return found.kind === 'told' ? found.manifest : found.kind
}

function preferenceIn(prefer: Arguments['prefer']): WantedOptions['prefer'] {
  if (prefer !== 'profile' && prefer !== 'records') return prefer
  throw usageError(`'--prefer ${prefer}' does not belong to '--wanted'`, 'it can be coordinator or targets')
}

async function infrastructureWith(
  recorded: ReadWantedRun | undefined,
  context: StepContext<Arguments>,
): Promise<Infrastructure> {
  if (recorded !== undefined && context.args.infrastructure === undefined) return recorded.manifest.infrastructure
  return infrastructureOf({ ...context, args: { ...context.args, deployed: false } }, loadInfrastructure)
}
