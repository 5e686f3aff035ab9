import type { DavitError } from '@davit/diagnostics'
import { loadInfrastructure } from '@davit/models'
import { followLogs, type LogLine, type LogTerms, type OpenLogs, readLogs } from '@davit/service-logs'
import { requestFor } from '@davit/target'
import {
  defineTool,
  deploymentOf,
  onSelectedTargets,
  type OpenMachine,
  refuseStrangePrograms,
  targetSource,
  trustedManifests,
  type ToolContext,
  trustToLook,
  unlessInterrupted,
  withTargets,
} from '@davit/tool'

import { description } from './description.ts'
import { type Arguments, checkArguments, logTermsOf, refuseUnknown } from './log-terms.ts'
import { renderJson, textRenderer } from './render-lines.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    const { profile } = deploymentOf(context)
    checkArguments(args)
    const source = await targetSource(
      { ...context, args: { ...args, source: args.infrastructure } },
      loadInfrastructure,
    )
    const selected = await onSelectedTargets(source, context)
    const terms = logTermsOf(context, { ...source, infrastructure: selected, profile })
    const { infrastructure } = terms
    const render = rendererFor(context)
    const emit = (lines: readonly LogLine[]) => print(render(lines))
    const manifests = trustedManifests(terms)
    const trust = await trustToLook(context)
    refuseStrangePrograms(infrastructure, trust)
    const connecting = { ...context, role: 'logs', manifests, trust } as const
    if (args.follow) {
      // Those that answer are shown while others are still connected to.
      return withTargets(new Map(), connecting, (_, __, open) =>
        unlessInterrupted(followLogs({ open: opener(open, terms), emit }, terms), context.signal),
      )
    }
    return withTargets(infrastructure, connecting, async (reached) => {
      const { lines, services, failures } = await readLogs(reached, terms)
      await emit(lines)
      if (failures.size === 0) refuseUnknown(terms, services)
      return statusOf(failures.values())
    })
  },
})

function rendererFor({ args, columns }: ToolContext<Arguments>): (lines: readonly LogLine[]) => string {
  return args.format === 'json' ? renderJson : textRenderer({ columns, isMixed: args.service.length > 1 })
}

function opener(open: OpenMachine, { infrastructure }: LogTerms): OpenLogs {
  return (name) => open(requestFor(infrastructure, name), 'logs')
}

function statusOf(failures: Iterable<DavitError>): number {
  return Math.max(0, ...[...failures].map(({ exitStatus }) => exitStatus))
}
