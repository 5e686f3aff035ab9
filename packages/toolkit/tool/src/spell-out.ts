import type { Option } from './option.ts'
import { usageError } from './usage-error.ts'

export interface Spelling {
  readonly options: ReadonlyMap<string, Option>
  /** Whether everything from the first operand on belongs to a command. */
  readonly stopAtOperand: boolean
}

/**
 * Rewrites a command line that getopt would accept so that yargs-parser cannot misread it: `-qm4 true` → `--quiet=true --m=4 true`.
 * Unknown options stay, so that they are reported; words that no option can be, such as `--_`, are refused here.
 */
export function spellOut(argv: readonly string[], { options, stopAtOperand }: Spelling): string[] {
  const spelt: string[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ''
    if (word === '--') return [...spelt, ...argv.slice(index)]
    if (!isOption(word)) {
      if (stopAtOperand) return [...spelt, '--', ...argv.slice(index)]
      spelt.push(word)
      continue
    }
    spelt.push(...longForms(word, options))
    if (awaitsValue(spelt.at(-1) ?? '', options)) {
      index += 1
      spelt.push(...argv.slice(index, index + 1))
    }
  }
  return spelt
}

function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

function longForms(word: string, options: ReadonlyMap<string, Option>): string[] {
  if (word.startsWith('--')) return [longForm(word, options)]
  const [name, option] = [...options].find(([, { short }]) => short === word.charAt(1)) ?? []
  const rest = word.slice(2)
  if (name === undefined || option === undefined) return [`-${word.charAt(1)}`]
  if (rest === '') return [longForm(`--${name}`, options)]
  if (rest.startsWith('=')) return [longForm(`--${name}${rest}`, options)]
  if (option.type !== 'boolean') return [`--${name}=${rest}`]
  return [longForm(`--${name}`, options), ...longForms(`-${rest}`, options)]
}

function longForm(word: string, options: ReadonlyMap<string, Option>): string {
  if (!/^--[a-z]/i.test(word.replace(/^--no-/, '--')))
    throw usageError(`unknown option '${word.replace(/=[^]*/, '')}'`, 'see --help')
  const [, given = '', value] = /^--([^=]*)(=[^]*)?$/.exec(word) ?? []
  const [name, isOn] = meaningOf(given, options)
  if (options.get(name)?.type !== 'boolean') return word
  if (value === undefined) return `--${name}=${isOn}`
  throw usageError(`option '--${given}' takes no value`, `write --${name} or --no-${name}`)
}

/** `no-lock` means `lock` off, unless it is itself the name of an option, such as `no-rollback` where `rollback` is something else. */
function meaningOf(given: string, options: ReadonlyMap<string, Option>): readonly [name: string, isOn: boolean] {
  const isNegated = given.startsWith('no-') && !options.has(given)
  return isNegated ? [given.slice('no-'.length), false] : [given, true]
}

function awaitsValue(word: string, options: ReadonlyMap<string, Option>): boolean {
  const option = options.get(word.replace(/^--/, ''))
  return option !== undefined && option.type !== 'boolean'
}
