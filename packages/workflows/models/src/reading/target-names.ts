import { suggestionFor, quoted } from '@davit/diagnostics'
import { ParameterError, tableGuard } from '@davit/normalization'
import { entriesOf, isObject, memberOf } from './part.ts'
import { plainOf } from './plain.ts'

/** Key for the name of a target in functions of models; enumerable, so that it survives `{ ...target }`. */
const TARGET_NAME = Symbol('davit target')

/** Finds the names of targets that functions of models return as objects. */
export interface TargetNames {
  /** Target name → target, as functions of models get them. */
  readonly targets: ReadonlyMap<string, object>
  /** Returns the name of a target that is given as an object of the infrastructure, as a copy of one, or by name. */
  nameOf(target: unknown): string | undefined
}

export function targetNamesOf(infrastructure: unknown): TargetNames {
  const targets = new Map<string, object>()
  const names = new Map<unknown, string>()
  for (const [name, target] of entriesOf(infrastructure) ?? []) {
    if (typeof name !== 'string' || !isObject(target)) continue
    targets.set(name, Object.assign(plainOf(target), { [TARGET_NAME]: name }))
    remember(names, target, name)
    remember(names, memberOf(target, 'properties'), name)
  }
  return {
    targets,
    nameOf(target) {
      if (typeof target === 'string') return target
      if (!isObject(target)) return undefined
      const marked: unknown = (target as { readonly [TARGET_NAME]?: unknown })[TARGET_NAME]
      if (typeof marked === 'string') return marked
      return names.get(target) || names.get(memberOf(target, 'properties')) || undefined
    },
  }
}

/** Makes a guard for a table of targets: a misspelt name throws instead of being undefined. */
export function targetGuard(): object {
  return tableGuard('the infrastructure', (name, targets) => {
    const hint = suggestionFor(name, targets) ?? `its targets are ${targets.join(', ')}`
    const reason = `the infrastructure has no target ${quoted(name)}`
    return new ParameterError({ used: quoted(name), reason, hint })
  })
}

/** An object that two targets share identifies neither: its name is empty. */
function remember(names: Map<unknown, string>, part: unknown, name: string): void {
  if (isObject(part)) names.set(part, names.has(part) ? '' : name)
}
