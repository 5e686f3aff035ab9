import type { ProfileName, ServiceMapping, StorePath, TargetName } from '@davit/documents'

import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import type { ActivityDefinition } from '../records/activity.ts'
import { recordFields } from '../records/record.ts'
import { resolvedDefinition } from '../records/secrets.ts'
import type { Component } from '../snapshots/snapshot-store.ts'

export interface OriginalTerms {
  readonly target: TargetName
  readonly profile: ProfileName
  /** Token of the lock. */
  readonly token: string
}

export interface OriginalProfile extends OriginalTerms {
  readonly path: StorePath
  /** Components of the active services. */
  readonly components: readonly Component[]
}

/** Writes the record of a service that is active already, unless there is one. */
export async function adoptRecord(
  machine: Machine<'state'>,
  { target, profile, token }: OriginalTerms,
  { mapping, definition }: { readonly mapping: ServiceMapping; readonly definition: ActivityDefinition },
): Promise<'adopted' | 'present'> {
  const resolved = await resolvedDefinition(mapping, definition, machine.secrets)
  const fields = recordFields(mapping, resolved.definition)
  const { container, service } = mapping
  const [answer] = await machine.request('adopt_record', [target, profile, token, container, service, ...fields])
  if (answer !== 'adopted' && answer !== 'present') throw badAnswer(machine.address)
  return answer
}

const SNAPSHOT = /^(snapshot|packed) ([\w.+?=-]{1,255}) ([\w.+?=-]{1,255}) ([\w.+?=-]{1,255})$/

export interface CopiedSnapshot extends Component {
  readonly name: string
}

/** Takes over snapshots and markers of Dysnomia; returns the snapshots that are new. */
export async function adoptState(
  machine: Machine<'state'>,
  { target, profile, token }: OriginalTerms,
  mode: 'adopt' | 'dry-run',
): Promise<readonly CopiedSnapshot[]> {
  const options = mode === 'dry-run' ? ['--dry-run'] : []
  const lines = await machine.request('adopt_state', [target, profile, token, ...options])
  return copiedIn(lines, machine).get('snapshot') ?? []
}

/** Notes that a profile of Disnix was adopted, so that nothing of it counts as unknown. */
export async function noteOriginal(machine: Machine<'state'>, original: OriginalProfile): Promise<void> {
  await machine.request('note_original', fieldsOf(original))
}

export interface GivenBack {
  readonly kind: 'set' | 'unchanged'
  /** Snapshots that no module of Dysnomia can read, and that were not given back. */
  readonly unreadable: readonly CopiedSnapshot[]
}

/** Makes a profile the current one of Disnix, with the markers and the snapshots of Dysnomia. */
export async function giveBack(machine: Machine<'state'>, original: OriginalProfile): Promise<GivenBack> {
  const lines = await machine.request('give_back', fieldsOf(original))
  const outcome = lines.at(-1) ?? ''
  if (outcome !== 'unchanged' && !/^set [\w.+-]+$/.test(outcome)) throw badAnswer(machine.address)
  const copied = copiedIn(lines.slice(0, -1), machine)
  return { kind: outcome === 'unchanged' ? 'unchanged' : 'set', unreadable: copied.get('packed') ?? [] }
}

function fieldsOf({ target, profile, token, path, components }: OriginalProfile) {
  const words = components.flatMap(({ container, component }) => [container, component])
  return [target, profile, token, path, ...words] as const
}

function copiedIn(lines: readonly string[], { address }: Machine<'state'>) {
  const copied = new Map<string, CopiedSnapshot[]>()
  for (const line of lines) {
    const [, kind, container, component, name] = SNAPSHOT.exec(line) ?? []
    if (kind === undefined || container === undefined || component === undefined || name === undefined)
      throw badAnswer(address)
    copied.set(kind, [...(copied.get(kind) ?? []), { container, component, name }])
  }
  return copied
}
