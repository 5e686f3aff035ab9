import { type DiagnosedMapping, findMappings, type FoundMappings } from '@davit/diagnosis'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Infrastructure } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import {
  callable,
  defineTool,
  deploymentOf,
  noService,
  onlyTargets,
  onSelectedTargets,
  renderTable,
  strangeModule,
  targetSource,
  type ToolContext,
  trustedManifests,
  trustToLook,
  withTargets,
} from '@davit/tool'

import type { Arguments } from './arguments.ts'
import { description } from './description.ts'
import { interact } from './interact.ts'
import { say } from './messages.ts'
import { runEverywhere } from './run-everywhere.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    const { profile } = deploymentOf(context)
    const named = { ...context, args: { ...args, source: args.infrastructure } }
    const { infrastructure, expected } = await targetSource(named, loadInfrastructure)
    const selected = await onSelectedTargets({ infrastructure, expected }, context)
    const targets = onlyTargets(selected, args.target)
    const manifests = trustedManifests({ infrastructure: targets, expected })
    const trust = await trustToLook(context)
    return withTargets(targets, { ...context, role: 'logs', manifests, trust }, async (reached) => {
      const containers = args.container.length === 0 ? undefined : new Set(args.container)
      const terms = { profile, expected, services: new Set([args.service]), containers, signal: context.signal }
      const found = await findMappings(reached, terms)
      const unreached = reportFailures(found, context)
      refuseStrangeModules(found, callable(trust))
      if (found.mappings.length === 0 && unreached === 0) throw noService([args.service], expected)
      return Math.max(unreached, await diagnose(found.mappings, targets, context))
    })
  },
})

/** Of a service with a record, the record says how it is called. */
function refuseStrangeModules({ mappings }: FoundMappings, mayCall: ReturnType<typeof callable>): void {
  for (const { isRecorded, definition, source } of mappings)
    if (!isRecorded && !mayCall(definition?.module)) throw strangeModule(source.service, definition?.module ?? '')
}

/** Returns the status that targets make of which nothing is known. */
function reportFailures({ failures }: FoundMappings, { report }: ToolContext<Arguments>): number {
  for (const [target, { message: reason }] of failures) report(say('not-diagnosed', { target, reason }))
  return Math.max(0, ...[...failures.values()].map(({ exitStatus }) => exitStatus))
}

async function diagnose(
  mappings: readonly DiagnosedMapping[],
  targets: Infrastructure,
  context: ToolContext<Arguments>,
): Promise<number> {
  const { args, print } = context
  if (args.showMappings) {
    await print(listOf(mappings))
    return 0
  }
  if (args.command.length > 0) return runEverywhere(mappings, context)
  const [first, ...others] = mappings
  if (others.length > 0) throw severalPlaces(args.service, mappings)
  return first === undefined ? 0 : interact(first, targets, context)
}

function listOf(mappings: readonly DiagnosedMapping[]): string {
  const rows = mappings.map(({ source: { target, container }, isRecorded }) => [
    target,
    container,
    isRecorded ? 'active' : 'not active',
  ])
  return renderTable([['TARGET', 'CONTAINER', 'STATE'], ...rows])
}

function severalPlaces(service: string, mappings: readonly DiagnosedMapping[]): DavitError {
  const places = mappings.map(({ source: { target, container } }) => `-t ${target} -c ${container}`)
  return new DavitError('several-places', `'${service}' is in ${mappings.length} places`, {
    exitStatus: ExitStatus.failed,
    hint: `choose one: ${places.join(', or ')}; a command is run in all of them`,
  })
}
