import { resolve } from 'node:path'
import { DavitError } from '@davit/diagnostics'
import { loadTargets } from '@davit/models'
import { type CompiledStack, type Emission, finding, placeOf, type StackFinding, stackRefusal } from '@davit/stack'
import { architectureOfStack, changesSince } from '@davit/stack-machines'
import { currentSystem } from '@davit/store'
import { type StepContext, usageError } from '@davit/tool'
import { say } from './messages.ts'
import type { Previous } from './previous.ts'

export interface MachineArguments {
  readonly infrastructure: string | undefined
  readonly targetProperty: string
  readonly previous: () => Promise<Previous>
  readonly noReplace: boolean
}

/** Places a compiled stack on machines; the text is an architecture model. */
export async function makeArchitecture(
  stack: CompiledStack,
  context: StepContext<MachineArguments>,
): Promise<Emission> {
  const { environment, report, signal } = context
  const previous = await context.args.previous()
  const changes = changesIn(stack, previous, context)
  if (changes.some(({ severity }) => severity === 'error')) return { kind: 'refused', findings: changes }
  const file = infrastructureOf(stack, context)
  const system = currentSystem(environment)
  const machines = await loadTargets(file, {
    system,
    environment,
    signal,
    report,
    showTrace: false,
  }).catch((error: unknown) => {
    throw placed(error, stack, context)
  })
  for (const diagnostic of machines.warnings) report({ kind: 'diagnostic', diagnostic })
  // What davit does not read is no part of an architecture model.
  const known = new Map([...machines.targets].map(([name, target]) => [name, { ...target, attributes: undefined }]))
  const { targetProperty } = context.args
  const emission = architectureOfStack(stack, {
    targets: known,
    placeOf: (target, property) => machines.placeOf([target, 'properties', property]),
    targetProperty,
    deployed: previous.deployed,
  })
  return { ...emission, findings: [...changes, ...emission.findings] }
}

/** Tells which services are interrupted; returns what is replaced. */
function changesIn(
  stack: CompiledStack,
  previous: Previous,
  { args, report }: StepContext<MachineArguments>,
): readonly StackFinding[] {
  if (previous.stack === undefined) return []
  const changes = changesSince(previous.stack, stack, { refusesReplacement: args.noReplace })
  const [deployed, name] = [previous.stack.name, stack.root.name]
  if (deployed !== name) {
    const hint = 'to have both, deploy them as two profiles: -p NAME'
    report(say('stack-replaced', { deployed, stack: name, hint }))
  }
  for (const interruption of changes.interruptions) report(say('service-interrupted', interruption))
  return changes.findings
}

/** A file that the cluster names, and that is not there, is told where the cluster names it. */
function placed(error: unknown, { options }: CompiledStack, { args }: StepContext<MachineArguments>): unknown {
  const { cluster } = options
  const isOfCluster = args.infrastructure === undefined && cluster?.infrastructure !== undefined
  if (!isOfCluster || !(error instanceof DavitError) || error.code !== 'cannot-read') return error
  const place = placeOf(cluster.spots.infrastructure)
  const hint = `it is the infrastructure of cluster '${cluster.name}'`
  return stackRefusal([finding('MU103', [cluster.infrastructure], { message: error.message, place, hint })])
}

function infrastructureOf(stack: CompiledStack, { args, workingDirectory }: StepContext<MachineArguments>): string {
  const { cluster, roots } = stack.options
  if (args.infrastructure !== undefined) return resolve(workingDirectory, args.infrastructure)
  if (cluster?.infrastructure !== undefined) return resolve(roots.workspace, cluster.infrastructure)
  throw usageError('nothing says what the machines are', 'name an infrastructure model with -i, or in the cluster')
}
