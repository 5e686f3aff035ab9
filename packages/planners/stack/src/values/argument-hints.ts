import { quoted } from '@davit/diagnostics'

/** Says how an argument of the command line is given that has another type than it needs, which `rootOf()` tells. */
export function howToWrite(root: string): string | undefined {
  return COMPOUND.has(root) ? WORDS_ARE_SCALARS : WORDS.get(root)
}

const COMPOUND: ReadonlySet<string> = new Set(['list', 'map', 'object', 'stack'])
const WORDS_ARE_SCALARS =
  'arguments are text, numbers, true and false: only a stack that contains this one can give it anything else'
export const SERVICES = 'only a stack that contains this one can give it a service'
const WORDS: ReadonlyMap<string, string> = new Map([
  ['number', 'write a number, such as 8080 or 0.5'],
  ['bool', 'write true or false'],
])

/** Says how a property gets the value that it lacks; services have names in stacks only. */
export function howToGive(name: string, root = 'any'): string {
  if (root === 'service' || root === 'stack') return SERVICES
  if (COMPOUND.has(root)) return WORDS_ARE_SCALARS
  return `give it as an argument: -- ${name}=VALUE`
}

/** Lists what a stack takes; what it does not know may be meant for the command. */
export function whatCanBeGiven(names: readonly string[]): string {
  const all = names.length === 0 ? 'no properties' : `the properties ${names.map(quoted).join(', ')}`
  return `the stack has ${all}; options of the command go before --`
}
