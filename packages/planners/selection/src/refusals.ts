import { DavitError, type Diagnostic, ExitStatus, quoted, suggestionFor } from '@davit/diagnostics'
import type { Manifest, ServiceName } from '@davit/documents'
import { grouped } from '@davit/languages'

import { type Instance, instanceIdOf, instancesOf } from './instances.ts'
import { namesFor } from './names.ts'
import type { Obstacle } from './obstacles.ts'
import type { Selection } from './select.ts'
import type { Term } from './terms.ts'

/** Error about terms that match nothing of the manifests, with similar names. */
export function unmatchedError(terms: readonly Term[], manifests: readonly Manifest[]): DavitError {
  const diagnostics = terms.map((term): Diagnostic => {
    const hint = similarTo(term, manifests)
    return {
      severity: 'error',
      message: `nothing matches ${quoted(term.text)}`,
      ...(hint === undefined ? {} : { hint }),
    }
  })
  const [first] = diagnostics
  const [term] = terms
  const isOne = diagnostics.length === 1 && first !== undefined && term !== undefined
  const message = isOne ? first.message : `${diagnostics.length} of the selected names match nothing`
  return new DavitError('nothing-selected', message, {
    exitStatus: ExitStatus.usage,
    ...(isOne ? { hint: first.hint ?? knownNames(term.what.kind, manifests) } : { diagnostics }),
  })
}

/** Error about a selection in which nothing is left. */
export function emptyError(): DavitError {
  return new DavitError('nothing-selected', 'nothing is selected: all that is named is also excluded', {
    exitStatus: ExitStatus.usage,
    hint: 'what begins with ! is left out, wherever it stands',
  })
}

function similarTo({ text, what }: Term, manifests: readonly Manifest[]): string | undefined {
  const prefix = text.slice(0, text.lastIndexOf(what.pattern))
  const names = namesFor(what.kind, manifests)
  const found = suggestionFor(what.pattern, names)
  if (found !== undefined) return prefix === '' ? found : found.replace("'", `'${prefix}`)
  if (what.kind !== 'target') return undefined
  const isService = [...namesFor('service', manifests)].includes(what.pattern)
  return isService ? `it is a service: write 'service:${what.pattern}'` : undefined
}

function knownNames(kind: Term['what']['kind'], manifests: readonly Manifest[]): string {
  const names = [...namesFor(kind, manifests)].toSorted()
  return names.length === 0 ? `there are no ${kind}s` : `the ${kind}s are ${listed(names)}`
}

const MAX_NAMES = 5

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quoted).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}

export interface Refusal {
  readonly obstacles: readonly Obstacle[]
  readonly selection: Selection
  readonly sufficient: Selection | undefined
  readonly manifests: readonly Manifest[]
}

/** Error about a part that would break something. */
export function partError({ obstacles, selection, sufficient, manifests }: Refusal): DavitError {
  const added = sufficient === undefined ? [] : addedTo(selection, sufficient, manifests)
  return new DavitError('part-refused', 'what is selected cannot be deployed without the rest', {
    hint:
      added.length === 0
        ? 'nothing was done; deploy everything, without --on'
        : `nothing was done; select ${added.length === 1 ? 'it' : 'them'} as well: --on ${shellWord(added)}`,
    diagnostics: obstacles.map((obstacle) => ({ severity: 'error', message: describeObstacle(obstacle) })),
  })
}

function shellWord(terms: readonly string[]): string {
  return `'${terms.join(',')}'`
}

/** Terms for what is in one selection and not in the other; a service of which everything is has no targets. */
function addedTo(before: Selection, after: Selection, manifests: readonly Manifest[]): readonly string[] {
  const all = grouped(instancesOf(manifests).values(), ({ service }) => service)
  const isIn = (one: Instance) => after.whole.has(one.target) || after.instances.has(instanceIdOf(one))
  const isAll = (service: ServiceName) => (all.get(service) ?? []).every(isIn)
  const targets = [...after.whole].filter((name) => !before.whole.has(name))
  const instances = [...after.instances].filter(([id]) => !before.instances.has(id)).map(([, one]) => one)
  const terms = instances.map((one) => `service:${one.service}${isAll(one.service) ? '' : `@${one.target}`}`)
  return [...targets, ...new Set(terms)]
}

/** Says for people why a part would not work. */
export function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'needs-new':
      return `${nameOf(obstacle.one)} needs the new ${nameOf(obstacle.other)}, which is left out`
    case 'needs-old':
      return `${nameOf(obstacle.one)}, which is left out, needs ${nameOf(obstacle.other)}, which would be replaced or stopped`
    case 'state':
      return `the state of ${nameOf(obstacle.one)} moves to '${obstacle.other.target}', and ${nameOf(obstacle.missing)} is left out`
    case 'nowhere':
      return `${nameOf(obstacle.one)} would be stopped and run nowhere: '${obstacle.missing.target}', where it goes, is left out`
    case 'described':
      return `${nameOf(obstacle.one)} gets other connections or containers in the same version as ${nameOf(obstacle.missing)}, which is left out`
    case 'target':
      return obstacle.what === 'address'
        ? `${nameOf(obstacle.one)} is on a target whose address changes, and '${obstacle.missing}' itself is left out`
        : `the container of ${nameOf(obstacle.one)} changes with its target, and '${obstacle.missing}' itself is left out`
    case 'store':
      return 'the store changes, which all targets have in common'
  }
}

function nameOf({ service, target }: Instance): string {
  return `'${service}' on '${target}'`
}
