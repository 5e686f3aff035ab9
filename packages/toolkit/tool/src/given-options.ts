import type { MadeFrom } from '@davit/documents'

import type { Option, OptionTable } from './option.ts'

type OrderOptions = NonNullable<MadeFrom['order']>['options']
type OptionValue = OrderOptions[string]

/** Options of a command that differ from what they are by default, as a generation keeps them. */
export function givenOptions(table: OptionTable, args: object): OrderOptions {
  const given = Object.entries(args as Readonly<Record<string, OptionValue | undefined>>).flatMap(([name, value]) => {
    const option = dashed(name)
    const description = Object.hasOwn(table, option) ? table[option] : undefined
    const isUsual = description === undefined || value === undefined || String(value) === usualText(description)
    return isUsual ? [] : [[option, value] as const]
  })
  return Object.fromEntries(given)
}

/** Name of an option as it is typed, without its dashes. */
export function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function usualText(option: Option): string {
  if ('default' in option) return String(option.default)
  return option.type === 'boolean' ? 'false' : ''
}
