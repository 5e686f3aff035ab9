import { currentGeneration, nothingDeployed } from '@davit/coordinator-state'
import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import type { Infrastructure, System, TargetName } from '@davit/documents'
import { currentSystem } from '@davit/store'

import type { Run, StepContext } from './tool-context.ts'
import { usageError } from './usage-error.ts'
import { deploymentOf } from './deployment-of.ts'

export interface InfrastructureArguments {
  readonly profile: string
  readonly infrastructure: string | undefined
  readonly deployed: boolean
  readonly interface: string
  readonly targetProperty: string
}

/** What loading a model needs besides the context. */
interface LoadTerms {
  readonly system: System
  readonly clientInterface: string
  readonly targetProperty: string
}

type Loading = Pick<Run, 'environment' | 'report' | 'signal'> & LoadTerms

/** Loads an infrastructure model in any language. */
export type LoadInfrastructure = (file: string, terms: Loading) => Promise<Infrastructure>

/** Reads the infrastructure that `--infrastructure` names, with `load`, or else that of the last generation. */
export async function infrastructureOf(
  context: StepContext<InfrastructureArguments>,
  load: LoadInfrastructure,
): Promise<Infrastructure> {
  const { args } = context
  if (args.infrastructure === undefined) return deployedInfrastructure(context)
  if (args.deployed) throw usageError('--infrastructure and --deployed cannot be combined', 'omit one of them')
  return loadNamed(args.infrastructure, context, load)
}

/** Loads the model in a file, as the options say how its targets are reached. */
export function loadNamed(
  file: string,
  { args, environment, report, signal }: StepContext<Pick<InfrastructureArguments, 'interface' | 'targetProperty'>>,
  load: LoadInfrastructure,
): Promise<Infrastructure> {
  const system = currentSystem(environment)
  const { interface: clientInterface, targetProperty } = args
  return load(file, { environment, report, signal, system, clientInterface, targetProperty })
}

async function deployedInfrastructure(context: StepContext<InfrastructureArguments>): Promise<Infrastructure> {
  const { profile, place } = deploymentOf(context)
  const generation = await currentGeneration(place)
  if (generation !== undefined) return generation.manifest.infrastructure
  throw new DavitError('no-deployment', `nothing is deployed as '${profile}'`, {
    hint: `${await nothingDeployed(place)}; otherwise pass an infrastructure model with -i`,
  })
}

/** Returns the part of an infrastructure that a person named; all of it if no target was named. */
export function onlyTargets(infrastructure: Infrastructure, names: readonly string[]): Infrastructure {
  if (names.length === 0) return infrastructure
  return new Map(names.flatMap((name) => [...onlyTarget(infrastructure, name)]))
}

/** Returns the part of an infrastructure that is one target, which a person named. */
export function onlyTarget(infrastructure: Infrastructure, name: string): Infrastructure {
  const target = infrastructure.get(name as TargetName)
  if (target !== undefined) return new Map([[name as TargetName, target]])
  const names = [...infrastructure.keys()]
  throw new DavitError('no-target', `the infrastructure has no target '${name}'`, {
    exitStatus: ExitStatus.usage,
    hint:
      suggestionFor(name, names) ?? (names.length === 0 ? 'it has no targets' : `its targets are ${names.join(', ')}`),
  })
}
