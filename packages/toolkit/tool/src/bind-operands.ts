import { camelCase } from './option.ts'
import type { OperandEntry } from './option-table.ts'
import { usageError } from './usage-error.ts'

export interface OperandWords {
  readonly words: readonly string[]
  /** Words after `--`. */
  readonly command: readonly string[]
  /** Hint for an operand that the tool does not take. */
  readonly instead?: string | undefined
}

/** Assigns words to operands; returns their values by camel-case name. */
export function bindOperands(
  operands: readonly OperandEntry[],
  { words, command, instead }: OperandWords,
): (readonly [name: string, value: string | readonly string[] | undefined])[] {
  const rest = [...words, ...(operands.some(takesWordsBehind) ? [] : command)]
  const bound = operands.map((operand) => [camelCase(operand.name), bind(operand, { rest, command })] as const)
  const [surplus] = rest
  if (surplus !== undefined) {
    throw usageError(`unexpected operand '${surplus}'`, surplusHint(surplus, operands, instead))
  }
  return bound
}

/** Whether an operand stands for the words after `--`. */
function takesWordsBehind({ kind }: OperandEntry): boolean {
  return kind === 'command' || kind === 'arguments'
}

function bind(
  { kind, usage, describe }: OperandEntry,
  { rest, command }: { rest: string[]; command: readonly string[] },
) {
  switch (kind) {
    case 'command':
    case 'arguments':
      return command
    case 'list':
      return rest.splice(0)
    case 'optional':
      return rest.shift()
    case 'required':
      if (rest.length === 0) throw usageError(`missing operand ${usage}`, describe)
      return rest.shift()
  }
}

export const ARGUMENTS_FOLLOW = 'arguments follow --'

/** Whether an operand stands for arguments, such as those of a stack. */
export function takesArguments({ kind }: OperandEntry): boolean {
  return kind === 'arguments'
}

function surplusHint(surplus: string, operands: readonly OperandEntry[], instead: string | undefined): string {
  const isWithArguments = operands.some(takesArguments)
  if (isWithArguments && surplus.includes('=')) return `${ARGUMENTS_FOLLOW}: -- ${surplus}`
  if (instead !== undefined) return instead
  if (operands.length === 0) return 'this tool takes no operands; see --help'
  const words = `the operands are ${operands.map(({ usage }) => usage).join(' ')}`
  return isWithArguments ? `${words}; ${ARGUMENTS_FOLLOW}` : words
}
