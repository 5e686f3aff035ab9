import { suggestionFor } from '@davit/diagnostics'
import yargs from 'yargs'
import { bindOperands } from './bind-operands.ts'
import type { Tool } from './define-tool.ts'
import { camelCase, type Option } from './option.ts'
import { allOptions, operandEntries } from './option-table.ts'
import { type ArgumentValue, optionValue, type RawValue } from './option-value.ts'
import { spellOut } from './spell-out.ts'
import type { Environment } from './tool-context.ts'
import { usageError } from './usage-error.ts'

export type Arguments = Readonly<Record<string, ArgumentValue>>

export interface CommandLine {
  /** Without interpreter and script. */
  readonly argv: readonly string[]
  readonly environment: Environment
}

/** What a command line asks for; throws a usage error for what it cannot mean. */
export type Request =
  | { readonly kind: 'help' | 'version' }
  /** Arguments by camel-case name, complete with defaults and what the environment says. */
  | { readonly kind: 'run'; readonly args: Arguments }

export function parseArguments(tool: Tool, { argv, environment }: CommandLine): Request {
  const options = allOptions(tool)
  const operands = operandEntries(tool)
  const stopAtOperand = operands.length === 1 && operands[0]?.kind === 'command'
  const { values, words, command } = parseWords(spellOut(argv, { options, stopAtOperand }), options)
  if (values.get('help') === true) return { kind: 'help' }
  if (values.get('version') === true) return { kind: 'version' }
  const optionArguments = [...options].map(
    ([name, option]) => [camelCase(name), optionValue({ name, option, environment }, values.get(name))] as const,
  )
  const operandArguments = bindOperands(operands, { words, command })
  return { kind: 'run', args: Object.fromEntries([...optionArguments, ...operandArguments]) }
}

interface ParsedWords {
  readonly values: ReadonlyMap<string, RawValue>
  readonly words: readonly string[]
  /** What stands behind `--`. */
  readonly command: readonly string[]
}

function parseWords(words: readonly string[], options: ReadonlyMap<string, Option>): ParsedWords {
  const { _: operands, '--': command, ...values } = configuredParser(words, options).parseSync()
  const known = [...options.keys()].map((name) => [name, values[name] as RawValue] as const)
  return { values: new Map(known), words: operands.map(String), command: (command as string[] | undefined) ?? [] }
}

function configuredParser(words: readonly string[], options: ReadonlyMap<string, Option>) {
  const parser = yargs([...words])
    .locale('en')
    .exitProcess(false)
    .help(false)
    .version(false)
    .strictOptions()
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'short-option-groups': false,
    })
    .fail((message, error) => {
      throw complaint(message ?? error.message, words, options)
    })
  for (const [name, { type }] of options) {
    parser.option(
      name,
      type === 'boolean' ? { type } : { type: type === 'list' ? 'array' : 'string', string: true, nargs: 1 },
    )
  }
  return parser
}

function complaint(message: string, words: readonly string[], options: ReadonlyMap<string, Option>): Error {
  const missing = /^Not enough arguments following: (.*)$/.exec(message)
  if (missing !== null) return usageError(`option '${dashed(missing[1] ?? '')}' needs a value`, SEE_HELP)
  const unknown = /^Unknown arguments?: ([^,]*)/.exec(message)
  if (unknown === null) return usageError(message, SEE_HELP)
  const [, name = ''] = unknown
  // yargs takes the negation away.
  return unknownOption(words.includes(`--no-${name}`) ? `no-${name}` : name, options.keys())
}

const SEE_HELP = 'see --help'

function unknownOption(name: string, known: Iterable<string>): Error {
  const names = [...known].flatMap((option) => [option, `no-${option}`])
  const longer = names.filter((option) => name.length > 1 && option.startsWith(name))
  const suggestion =
    longer.length === 1 ? `did you mean '--${longer[0]}'?` : suggestionFor(`--${name}`, names.map(dashed))
  return usageError(`unknown option '${dashed(name)}'`, suggestion ?? SEE_HELP)
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`
}
