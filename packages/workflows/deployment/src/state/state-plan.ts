import { DavitError, ExitStatus, type Message } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type ProfileName, type TargetName } from '@davit/documents'
import type { Deployed } from '@davit/observation'
import { RESTORES_FIRST, targetsWithKept } from '@davit/state-runner'
import { definitionOf, findModules } from '@davit/target'
import {
  type ObservedMapping,
  type PlanOptions,
  type StateMove,
  type StateMoves,
  stateMovesOf,
} from '@davit/transition'

import { say } from '../messages.ts'
import { declaredHere } from './declared-here.ts'

export interface StateTerms {
  /** Whether state moves with its service, and whether a service that begins anew gets what the coordinator keeps of an earlier one. */
  readonly migration: 'move' | 'none' | 'move-and-restore'
  /** State directory of the coordinator. */
  readonly directory: string
}

export interface StateQuestion {
  readonly next: Manifest
  readonly observed: readonly ObservedMapping[]
  readonly previous: Manifest | undefined
  readonly unreachable: ReadonlySet<TargetName>
  readonly blank: Deployed['blank']
  readonly profile: ProfileName
  readonly places: Deployed['places']
  readonly upgrade: 'upgrade' | 'activate-only' | 'repair'
}

export interface PlannedState {
  /** Options for `planTransition`. */
  readonly planned: Pick<PlanOptions, 'state'>
  readonly messages: readonly Message[]
}

/** Plans which state moves, and reports which does not. */
export async function planState(question: StateQuestion, terms: StateTerms | undefined): Promise<PlannedState> {
  if (terms === undefined || terms.migration === 'none') return { planned: {}, messages: [] }
  const found = stateMovesOf(question)
  const { moves, messages } =
    question.upgrade === 'upgrade' ? wholeMoves(found, question, terms) : withoutMoves(found, question)
  const { pending } = found
  const targets = [...moves.flatMap(({ to }) => to ?? []), ...pending]
  const mappings = targets.map(({ mapping }) => mapping)
  return { planned: { state: { moves, pending, restoresFirst: await restoringFirst(mappings, question) } }, messages }
}

/** A repair starts nothing in another place. */
function withoutMoves({ moves }: StateMoves, { upgrade }: StateQuestion) {
  const left = upgrade === 'repair' ? [] : moves
  const messages = left.flatMap(({ from, to }) => {
    if (from === undefined || to === undefined) return []
    return [
      say('state-not-moved', { service: to.service.name, target: to.mapping.target, source: from.mapping.target }),
    ]
  })
  return { moves: [], messages }
}

function wholeMoves(
  { moves, fresh, skipped }: StateMoves,
  question: StateQuestion,
  { migration, directory }: StateTerms,
): { readonly moves: readonly StateMove[]; readonly messages: readonly Message[] } {
  refuseLostProviders(moves, question)
  const kept = fresh.filter(({ mapping, component }) => {
    const { container } = mapping
    return targetsWithKept(directory, question.profile, { container, component }).length > 0
  })
  if (migration === 'move-and-restore')
    return { moves: [...moves, ...kept.map((to) => ({ from: undefined, to }))], messages: skipped }
  const told = kept.map(({ service, mapping }) => say('state-kept', { service: service.name, target: mapping.target }))
  return { moves, messages: [...skipped, ...told] }
}

/** Finds the mappings whose modules declare that they restore state before they activate. */
async function restoringFirst(
  mappings: readonly Manifest['serviceMappings'][number][],
  { next, places }: StateQuestion,
): Promise<ReadonlySet<MappingId>> {
  const found = mappings.map(async (mapping): Promise<readonly MappingId[]> => {
    const place = places.get(mapping.target)
    const { module } = definitionOf(next, mapping)
    const modules = place === undefined ? undefined : await findModules(place.machine, [module])
    const declared = modules?.get(module)?.declared ?? (await declaredHere(module))
    return declared.includes(RESTORES_FIRST) ? [mappingIdOf(mapping)] : []
  })
  return new Set((await Promise.all(found)).flat())
}

/** Refuses to remove what provides a container while the state of a service that is removed too is in it. */
function refuseLostProviders(moves: readonly StateMove[], { next, previous }: StateQuestion): void {
  const provided = moves.flatMap(({ from, to }) => {
    const key = to === undefined ? from?.mapping.containerProvidedByService : undefined
    const provider = key === undefined ? undefined : previous?.services.get(key)
    return from === undefined || provider === undefined ? [] : [{ ...from, provider }]
  })
  if (provided.length === 0) return
  const names = new Set([...next.services.values()].map(({ name }) => name))
  const lost = provided.filter(({ provider }) => !names.has(provider.name))
  if (lost.length === 0) return
  throw new DavitError('state-lost', 'the state of services would be left in containers that are removed', {
    exitStatus: ExitStatus.failed,
    diagnostics: lost.map(({ service, mapping, provider }) => ({
      severity: 'error',
      message: `the state of '${service.name}' on '${mapping.target}' is in '${mapping.container}', which '${provider.name}' provides`,
    })),
    hint: 'remove these services first, and delete their state with davit-delete-state, or keep what provides the container; --no-migration leaves the state behind, which davit-snapshot can save first',
  })
}
