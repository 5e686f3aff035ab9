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
  machine: Machine<'adopt'>,
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

/** Takes over snapshots and markers of Dysnomia. */
export async function adoptState(
  machine: Machine<'adopt'>,
  { target, profile, token, components = [] }: OriginalTerms & { readonly components?: readonly Component[] },
  mode: 'adopt' | 'dry-run',
): Promise<AdoptedState> {
  const fields = [target, profile, token, mode === 'dry-run' ? '--dry-run' : '-', ...wordsOf(components)] as const
  const lines = await machine.request('adopt_state', fields)
  const isMark = (line: string) => line.startsWith('unmarked ')
  return {
    snapshots:
      copiedIn(
        lines.filter((line) => !isMark(line)),
        machine,
      ).get('snapshot') ?? [],
    unmarked: componentsIn(lines.filter(isMark), machine),
  }
}

export interface AdoptedState {
  /** Snapshots that are new. */
  readonly snapshots: readonly CopiedSnapshot[]
  /** Those of the components that nobody has marked as active. */
  readonly unmarked: readonly Component[]
}

/** Asks what Dysnomia has marked as active, whatever the deployment; of many, the first hundred. */
export async function originalMarks(machine: Machine<'adopt'>): Promise<readonly Component[]> {
  return componentsIn(await machine.request('original_marks', []), machine)
}

const MARK = /^(?:un)?marked ([\w.+?=-]{1,255}) ([\w.+?=-]{1,255})$/

function componentsIn(lines: readonly string[], { address }: Machine<'adopt'>): readonly Component[] {
  return lines.map((line) => {
    const [, container, component] = MARK.exec(line) ?? []
    if (container === undefined || component === undefined) throw badAnswer(address)
    return { container, component }
  })
}

function wordsOf(components: readonly Component[]): readonly string[] {
  return components.flatMap(({ container, component }) => [container, component])
}

/** Notes that a profile of Disnix was adopted, so that nothing of it counts as unknown. */
export async function noteOriginal(machine: Machine<'adopt'>, original: OriginalProfile): Promise<void> {
  await machine.request('note_original', fieldsOf(original))
}

export interface GivenBack {
  readonly kind: 'set' | 'unchanged'
  /** Snapshots that no module of Dysnomia can read, and that were not given back. */
  readonly unreadable: readonly CopiedSnapshot[]
}

/** Makes a profile the current one of Disnix, with the markers and the snapshots of Dysnomia. */
export async function giveBack(machine: Machine<'adopt'>, original: OriginalProfile): Promise<GivenBack> {
  const lines = await machine.request('give_back', fieldsOf(original))
  const outcome = lines.at(-1) ?? ''
  if (outcome !== 'unchanged' && !/^set [\w.+-]+$/.test(outcome)) throw badAnswer(machine.address)
  const copied = copiedIn(lines.slice(0, -1), machine)
  return { kind: outcome === 'unchanged' ? 'unchanged' : 'set', unreadable: copied.get('packed') ?? [] }
}

function fieldsOf({ target, profile, token, path, components }: OriginalProfile) {
  return [target, profile, token, path, ...wordsOf(components)] as const
}

function copiedIn(lines: readonly string[], { address }: Machine<'adopt'>) {
  const copied = new Map<string, CopiedSnapshot[]>()
  for (const line of lines) {
    const [, kind, container, component, name] = SNAPSHOT.exec(line) ?? []
    if (kind === undefined || container === undefined || component === undefined || name === undefined)
      throw badAnswer(address)
    copied.set(kind, [...(copied.get(kind) ?? []), { container, component, name }])
  }
  return copied
}
