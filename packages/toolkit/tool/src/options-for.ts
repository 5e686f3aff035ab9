import { type ArgumentsOf, camelCase, type OptionTable } from './option.ts'
import { type ArgumentValue, optionValue } from './option-value.ts'
import type { Run } from './tool-context.ts'

/**
 * The options of a step of a run. An argument of the order reaches each step that has an option of its name; `noLock` of an order is
 * `lock` of a step. What the order does not say is as variables say, or as usual.
 */
export function optionsFor<Options extends OptionTable>(
  { options }: { readonly options: Options },
  order: object,
  { environment }: Pick<Run, 'environment'>,
): ArgumentsOf<Options, Record<never, never>> {
  const entries = Object.entries(options).map(([name, option]) => {
    const isOnByDefault = option.type === 'boolean' && option.default === true
    const given = isOnByDefault ? unlessNegated(order, name) : valueIn(order, name)
    return [camelCase(name), given ?? optionValue({ name, option, environment }, undefined)] as const
  })
  return Object.fromEntries(entries) as ArgumentsOf<Options, Record<never, never>>
}

function valueIn(order: object, name: string): ArgumentValue {
  return (order as Readonly<Record<string, ArgumentValue>>)[camelCase(name)]
}

function unlessNegated(order: object, name: string): boolean | undefined {
  const negated = valueIn(order, `no-${name}`)
  return negated === undefined ? undefined : negated !== true
}
