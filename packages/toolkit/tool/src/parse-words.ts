import { suggestionFor } from '@davit/diagnostics'
import parser from 'yargs-parser'
import type { Option } from './option.ts'
import type { RawValue } from './option-value.ts'
import { usageError } from './usage-error.ts'

export interface Grammar {
  readonly options: ReadonlyMap<string, Option>
  /** Whether everything from the first operand on belongs to a command. */
  readonly stopAtOperand: boolean
  /** How the tool is called. What is an option of another tool may be an operand of this one. */
  readonly usage: string
  /** Where more is said of words that are not known. */
  readonly elsewhere: string
}

export interface ParsedWords {
  readonly values: ReadonlyMap<string, RawValue>
  readonly operands: readonly string[]
  /** Words after `--`, or from the first operand on. */
  readonly command: readonly string[]
}

/** Parses the words of a command line as options and operands. */
export function parseWords(argv: readonly string[], grammar: Grammar): ParsedWords {
  const { options, stopAtOperand } = grammar
  const spelt = withEquals(argv, options)
  const { argv: parsed, error } = parser.detailed([...spelt], settingsOf(grammar))
  const { _: operands, '--': behind, ...values } = parsed
  const end = argv.length - (Array.isArray(behind) ? behind.length : 0)
  const first = stopAtOperand && argv[end - 1] !== '--' ? argv.slice(end, end + 1) : []
  const words = [...spelt.slice(0, end), ...first]
  refuseNoNames({ words, operands: [...operands, ...first] }, grammar)
  if (error) throw complaint(error.message, options)
  const unknown = Object.keys(values).find((name) => !options.has(name))
  if (unknown !== undefined) throw unknownOption(unknown, words, grammar)
  const known = [...options.keys()].map((name) => [name, values[name] as RawValue] as const)
  return { values: new Map(known), operands: operands.map(String), command: argv.slice(end) }
}

/** Words with `=` before a value that is attached to a short option, without which the parser takes it as more options: `-qm4` → `-qm=4`. */
function withEquals(argv: readonly string[], options: ReadonlyMap<string, Option>): readonly string[] {
  const types = new Map([...options.values()].map(({ short = '', type }) => [short, type] as const))
  return argv.map((word) => {
    if (!word.startsWith('-') || word.startsWith('--')) return word
    const end = endOfFlags(word, types)
    const isAttached = types.has(word.charAt(end)) && !['', '='].includes(word.charAt(end + 1))
    return isAttached ? `${word.slice(0, end + 1)}=${word.slice(end + 1)}` : withLongName(word, options)
  })
}

/** `--profile=` for `-p=`, which the parser takes for a word without value. */
function withLongName(word: string, options: ReadonlyMap<string, Option>): string {
  const name = word.length === 3 && word[2] === '=' ? longName(word.charAt(1), options) : undefined
  return name === undefined ? word : `--${name}=`
}

/** Position of the first letter in `-qm4` that is no flag. */
function endOfFlags(word: string, types: ReadonlyMap<string, Option['type']>): number {
  let end = 1
  while (word.charAt(end) !== '' && types.get(word.charAt(end)) === 'boolean') end += 1
  return end
}

function settingsOf({ options, stopAtOperand }: Grammar): parser.Options {
  const names = (isWanted: (option: Option) => boolean) =>
    [...options].filter(([, option]) => isWanted(option)).map(([name]) => name)
  const flags = names(({ type }) => type === 'boolean')
  const withValue = names(({ type }) => type !== 'boolean')
  const negations = flags.map((name) => `no-${name}`).filter((name) => !options.has(name))
  const ownNames = [...options.keys()].filter((name) => name.startsWith('no-')).map((name) => name.slice('no-'.length))
  return {
    alias: Object.fromEntries([...options].map(([name, { short }]) => [name, short ?? []])),
    array: names(({ type }) => type === 'list'),
    boolean: flags,
    string: withValue,
    narg: {
      ...Object.fromEntries([...flags, ...negations].map((name) => [name, 0])),
      ...Object.fromEntries(withValue.map((name) => [name, 1])),
    },
    configuration: {
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'halt-at-non-option': stopAtOperand,
      // `no-lock` means `lock` off, unless it is itself the name of an option, such as `no-rollback` where `rollback` is something else.
      'negation-prefix': `no-(?!(?:${ownNames.join('|')})$)`,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'strip-aliased': true,
    },
  }
}

interface ReadWords {
  readonly words: readonly string[]
  /** Those that the parser takes as operands. */
  readonly operands: readonly (string | number)[]
}

/** Refuses words that no option can be, such as `--_`, which the parser reads in its own way. */
function refuseNoNames({ words, operands }: ReadWords, grammar: Grammar): void {
  const isWrong = (word: string) =>
    /^-\d/.test(word) ? operands.includes(word) : /^-[^]/.test(word) && !NAME.test(word)
  const wrong = words.find(isWrong)
  if (wrong === undefined) return
  if (wrong.startsWith('--')) throw usageError(`unknown option '${wrong.replace(/[=\n][^]*/, '')}'`, grammar.elsewhere)
  const letter = Array.from(wrong)
    .slice(1)
    .find((one) => longName(one, grammar.options) === undefined)
  throw unknownOption(letter ?? wrong, words, grammar)
}

const NAME = /^(?:--|-[a-z]+(?:=[^]*)?|--[a-z][a-z0-9]+(?:-[a-z0-9]+)*(?:=[^]*)?)$/i

function longName(letter: string, options: ReadonlyMap<string, Option>): string | undefined {
  return [...options].find(([, { short }]) => short === letter)?.[0]
}

const SEE_HELP = 'see --help'

function complaint(message: string, options: ReadonlyMap<string, Option>): Error {
  const isMissing = message.startsWith('Not enough')
  if (!isMissing && !message.startsWith('Argument unexpected')) return usageError(message, SEE_HELP)
  const key = message.slice(message.lastIndexOf(': ') + 2)
  const name = longName(key, options) ?? key
  if (isMissing) return usageError(`option '--${name}' needs a value`, SEE_HELP)
  const positive = options.has(name) ? name : name.slice('no-'.length)
  return usageError(`option '--${name}' takes no value`, `write --${positive} or --no-${positive}`)
}

function unknownOption(parsed: string, words: readonly string[], { options, usage, elsewhere }: Grammar): Error {
  // The parser has removed the negation.
  const name = words.includes(`--no-${parsed}`) ? `no-${parsed}` : parsed
  const names = [...options.keys()].flatMap((option) => [option, `no-${option}`])
  const longer = names.filter((option) => name.length > 1 && option.startsWith(name))
  const suggestion =
    longer.length === 1 ? `did you mean '--${longer[0]}'?` : suggestionFor(`--${name}`, names.map(dashed))
  return usageError(
    `unknown option '${dashed(name)}'`,
    suggestion ?? (name.length === 1 ? `usage: ${usage}; ${elsewhere}` : elsewhere),
  )
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`
}
