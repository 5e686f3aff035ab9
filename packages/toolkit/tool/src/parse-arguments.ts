import { suggestionFor } from '@davit/diagnostics'
import parser from 'yargs-parser'
import { ARGUMENTS_FOLLOW, bindOperands, takesArguments } from './bind-operands.ts'
import type { Tool } from './define-tool.ts'
import { camelCase, type Option } from './option.ts'
import { allOptions, operandEntries, usageLines } from './option-table.ts'
import { type ArgumentValue, optionValue, type RawValue } from './option-value.ts'
import { spellOut } from './spell-out.ts'
import type { Environment } from './tool-context.ts'
import { refuseExcluded } from './refuse-excluded.ts'
import { usageError } from './usage-error.ts'

export type Arguments = Readonly<Record<string, ArgumentValue>>

export interface CommandLine {
  /** Arguments without interpreter and script. */
  readonly argv: readonly string[]
  readonly environment: Environment
}

/** What a command line requests. */
export type Request =
  | { readonly kind: 'help' | 'version' }
  /** Arguments by camel-case name, completed from the environment and by defaults. */
  | { readonly kind: 'run'; readonly args: Arguments }

/** Parses a command line; throws a usage error if it is invalid. */
export function parseArguments(tool: Tool, { argv, environment }: CommandLine): Request {
  const options = allOptions(tool)
  const operands = operandEntries(tool)
  const stopAtOperand = operands.length === 1 && operands[0]?.kind === 'command'
  const elsewhere = operands.some(takesArguments) ? `${SEE_HELP}; ${ARGUMENTS_FOLLOW}` : SEE_HELP
  const usage = usageLines(tool).join(', or ')
  const { values, words, command } = parseWords(spellOut(argv, { options, stopAtOperand }), {
    options,
    usage,
    elsewhere,
  })
  if (values.get('help') === true) return { kind: 'help' }
  if (values.get('version') === true) return { kind: 'version' }
  const optionArguments = [...options].map(
    ([name, option]) => [camelCase(name), optionValue({ name, option, environment }, values.get(name))] as const,
  )
  refuseExcluded(options, Object.fromEntries(optionArguments))
  const operandArguments = bindOperands(operands, { words, command, instead: tool.instead })
  return { kind: 'run', args: Object.fromEntries([...optionArguments, ...operandArguments]) }
}

interface ParsedWords {
  readonly values: ReadonlyMap<string, RawValue>
  readonly words: readonly string[]
  /** Words after `--`. */
  readonly command: readonly string[]
}

interface WordsOf {
  readonly options: ReadonlyMap<string, Option>
  /** How the tool is called. What is an option of another tool may be an operand of this one. */
  readonly usage: string
  /** Where more is said of words that are not known. */
  readonly elsewhere: string
}

function parseWords(words: readonly string[], wordsOf: WordsOf): ParsedWords {
  const { options } = wordsOf
  const { argv, error } = parser.detailed([...words], settingsOf(options))
  if (error) throw complaint(error.message)
  const { _: operands, '--': command, ...values } = argv
  const unknown = Object.keys(values).find((name) => !options.has(name))
  if (unknown !== undefined) throw unknownOption(unknown, words, wordsOf)
  const known = [...options.keys()].map((name) => [name, values[name] as RawValue] as const)
  return { values: new Map(known), words: operands.map(String), command: (command ?? []).map(String) }
}

function settingsOf(options: ReadonlyMap<string, Option>): parser.Options {
  const names = (isWanted: (option: Option) => boolean) =>
    [...options].filter(([, option]) => isWanted(option)).map(([name]) => name)
  const withValue = names(({ type }) => type !== 'boolean')
  return {
    boolean: names(({ type }) => type === 'boolean'),
    string: withValue,
    array: names(({ type }) => type === 'list'),
    narg: Object.fromEntries(withValue.map((name) => [name, 1])),
    configuration: {
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'short-option-groups': false,
    },
  }
}

function complaint(message: string): Error {
  const missing = /^Not enough arguments following: (.*)$/.exec(message)
  return missing === null
    ? usageError(message, SEE_HELP)
    : usageError(`option '${dashed(missing[1] ?? '')}' needs a value`, SEE_HELP)
}

const SEE_HELP = 'see --help'

function unknownOption(parsed: string, words: readonly string[], { options, usage, elsewhere }: WordsOf): Error {
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
