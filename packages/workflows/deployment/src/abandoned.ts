import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import type { Machine, Observation } from '@davit/target'

/** A record that can be given up. */
export interface Recorded {
  readonly machine: Machine
  /** Name of the target in the record. */
  readonly target: string
  readonly container: string
  readonly key: string
  /** Name of the service; its key if the record no longer contains the name. */
  readonly name: string
}

export function recordedIn(machine: Machine, { records, damaged }: Observation): readonly Recorded[] {
  return [
    ...records.map(({ mapping: { target, container, service }, definition }) => {
      return { machine, target, container, key: service, name: definition.service.name }
    }),
    ...damaged.map(({ target, key, directory, fields }) => {
      const place = directory.slice(directory.lastIndexOf('/') + 1)
      const container = place.slice(0, place.lastIndexOf(':'))
      return { machine, target, container, key, name: fields.service?.name ?? key }
    }),
  ]
}

/** Finds the records that `web`, `KEY` or `web@TARGET` name; throws if a name has no record. */
export function abandonedBy(names: readonly string[], recorded: readonly Recorded[]): readonly Recorded[] {
  const meant = (text: string) => recorded.filter((record) => namesOf(record).includes(text))
  const unknown = names.filter((name) => meant(name).length === 0)
  if (unknown.length > 0) throw unknownNames(unknown, recorded)
  const chosen = new Set(names.flatMap(meant))
  return recorded.filter((record) => chosen.has(record))
}

export function placeOf({ name, container, target }: Recorded): string {
  return `'${name}' in '${container}' on '${target}'`
}

function namesOf({ name, key, target }: Recorded): readonly string[] {
  return [name, key, `${name}@${target}`, `${key}@${target}`]
}

function unknownNames(unknown: readonly string[], recorded: readonly Recorded[]): DavitError {
  const candidates = new Set(recorded.flatMap(namesOf))
  const there = recorded.map(placeOf).join(', ')
  return new DavitError('no-record', 'cannot give up services that have no record', {
    exitStatus: ExitStatus.failed,
    diagnostics: unknown.map((name) => {
      const hint = suggestionFor(name, candidates)
      const message = `no target has a record of '${name}'`
      return { severity: 'error', message, ...(hint === undefined ? {} : { hint }) }
    }),
    hint: `nothing was done; ${there === '' ? 'there are no records' : `there are records of ${there}`}`,
  })
}
