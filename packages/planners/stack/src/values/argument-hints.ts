import { quoted } from '@davit/diagnostics'

/** Hint for an argument of the command line whose type no word can have. */
export const WORDS_ARE_SCALARS =
  'arguments are text, numbers, true and false: only a stack that contains this one can give it anything else'

export function howToGive(name: string): string {
  return `give it as an argument: -- ${name}=VALUE`
}

/** Lists what a stack takes; what it does not know may be meant for the command. */
export function whatCanBeGiven(names: readonly string[]): string {
  const all = names.length === 0 ? 'no properties' : `the properties ${names.map(quoted).join(', ')}`
  return `the stack has ${all}; options of the command go before --`
}
