import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import type { Deployed } from '@davit/observation'
import {
  type Lack,
  lackingModules,
  type Machine,
  missingModule,
  moduleHere,
  referenceToDysnomia,
  type WantedModule,
  wantedModules,
} from '@davit/target'
import { activitiesOf, isVerbActivity, type Transition } from '@davit/transition'

export interface ModuleQuestion {
  readonly transition: Transition
  readonly places: Deployed['places']
  /** `tell` if targets may still lack what is going to be sent to them. */
  readonly running: 'wait' | 'tell'
}

/** Refuses a plan with activations whose modules their targets do not have: all that are missing at once, before any activity. */
export async function refuseMissingModules(next: Manifest, { transition, ...question }: ModuleQuestion): Promise<void> {
  const activated = activitiesOf(transition).flatMap((activity) =>
    isVerbActivity(activity) && activity.definition === 'next' ? [activity.mapping] : [],
  )
  const found = await Promise.all(wantedModules(next, activated).map(async (one) => inQuestion(one, question)))
  const asked = found.flatMap((one) => one ?? [])
  const machines = [...new Set(asked.map(({ machine }) => machine))]
  const lacks = new Map(
    await Promise.all(machines.map(async (machine) => [machine, await ask(machine, asked)] as const)),
  )
  const diagnostics = asked.flatMap((one) => {
    const lack = lacks.get(one.machine)?.get(one.reference)
    return lack === undefined ? [] : diagnosticsOf(one, lack, question)
  })
  if (diagnostics.length === 0) return
  throw new DavitError('no-module', 'some services cannot be activated', {
    exitStatus: ExitStatus.failed,
    diagnostics: distinct(diagnostics),
    hint: 'nothing was done',
  })
}

/** A module for which a machine is asked. */
interface ModuleInQuestion {
  readonly machine: Machine
  readonly reference: string
  readonly wanted: WantedModule
  readonly isOfDysnomia: boolean
}

/** Of what is sent to a target, it needs not be asked in advance. */
async function inQuestion(
  wanted: WantedModule,
  { places, running }: Omit<ModuleQuestion, 'transition'>,
): Promise<ModuleInQuestion | undefined> {
  const place = places.get(wanted.target)
  if (place === undefined) return undefined
  const known = await moduleHere(wanted.reference)
  if (known === 'here' && running === 'tell') return undefined
  const isOfDysnomia = known === 'of-dysnomia'
  const reference = isOfDysnomia ? referenceToDysnomia(wanted.type) : wanted.reference
  return { machine: place.machine, reference, wanted, isOfDysnomia }
}

async function ask(machine: Machine, asked: readonly ModuleInQuestion[]): Promise<ReadonlyMap<string, Lack>> {
  const references = asked.filter((one) => one.machine === machine).map(({ reference }) => reference)
  return lackingModules(machine, [...new Set(references)])
}

function diagnosticsOf(
  { wanted, isOfDysnomia }: ModuleInQuestion,
  lack: Lack,
  { running }: Pick<ModuleQuestion, 'running'>,
): readonly Diagnostic[] {
  const missing = missingModule(wanted)
  if (isOfDysnomia)
    return [{ ...missing, message: `${missing.message}, and Dysnomia has none there`, hint: HINT_FOR_DYSNOMIA }]
  if (lack === 'module') return [missing]
  // Nobody knows yet what its profile will have.
  if (running === 'tell') return []
  const message = `the profile of '${wanted.target}' is not there`
  return [{ severity: 'error', message, hint: 'run davit-distribute first' }]
}

const HINT_FOR_DYSNOMIA =
  'install Dysnomia with this module there, or add a module with --modules DIRECTORY when you make the manifest'

function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map((one) => [one.message, one])).values()]
}
