import { ARGUMENTS_FOLLOW, bindOperands, takesArguments } from './bind-operands.ts'
import type { Tool } from './define-tool.ts'
import { camelCase } from './option.ts'
import { allOptions, operandEntries, usageLines } from './option-table.ts'
import { type ArgumentValue, optionValue } from './option-value.ts'
import { parseWords } from './parse-words.ts'
import type { Environment } from './tool-context.ts'
import { refuseExcluded } from './refuse-excluded.ts'

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
  const elsewhere = operands.some(takesArguments) ? `see --help; ${ARGUMENTS_FOLLOW}` : 'see --help'
  const usage = usageLines(tool).join(', or ')
  const { values, operands: words, command } = parseWords(argv, { options, stopAtOperand, usage, elsewhere })
  if (values.get('help') === true) return { kind: 'help' }
  if (values.get('version') === true) return { kind: 'version' }
  const optionArguments = [...options].map(
    ([name, option]) => [camelCase(name), optionValue({ name, option, environment }, values.get(name))] as const,
  )
  refuseExcluded(options, Object.fromEntries(optionArguments))
  const operandArguments = bindOperands(operands, { words, command, instead: tool.instead })
  return { kind: 'run', args: Object.fromEntries([...optionArguments, ...operandArguments]) }
}
