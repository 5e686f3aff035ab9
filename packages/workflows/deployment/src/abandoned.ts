import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import type { Machine, Observation } from '@davit/target'

/** A record that can be given up. */
export interface Recorded {
  readonly machine: Machine
  /** As it is called there. */
  readonly target: string
  readonly container: string
  readonly key: string
  /** The key, where the record does not say it any more. */
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

/** What names like `web`, `KEY` or `web@TARGET` mean; throws when there is one that means nothing. */
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
  return new DavitError('no-record', 'there is no record of what is to be given up', {
    exitStatus: ExitStatus.failed,
    diagnostics: unknown.map((name) => {
      const hint = suggestionFor(name, candidates)
      const message = `no target has a record of '${name}'`
      return { severity: 'error', message, ...(hint === undefined ? {} : { hint }) }
    }),
    hint: `nothing was done; ${there === '' ? 'nothing is recorded' : `recorded are ${there}`}`,
  })
}
