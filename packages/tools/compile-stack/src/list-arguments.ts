import { basename, resolve } from 'node:path'
import { chooseTarget, propertyNames } from '@davit/stack'
import { compileOptions, openStack, stackFiles } from '@davit/stack-workspace'
import type { OptionTable, ToolContext } from '@davit/tool'

interface Line {
  readonly stack: string
  readonly cluster: string | undefined
  /** What is behind `--` so far. */
  readonly words: readonly string[]
}

/** Lists the arguments that the stack of a command line takes, as `NAME=`, for shells that complete it. */
export function argumentsFor(
  line: readonly string[],
  { environment, workingDirectory }: Pick<ToolContext<unknown>, 'environment' | 'workingDirectory'>,
  options: OptionTable,
): readonly string[] {
  const parsed = parseLine(line, options)
  if (parsed === undefined) return []
  const files = stackFiles(workingDirectory)
  const opened = openStack(resolve(workingDirectory, parsed.stack), files)
  if (opened.path === undefined) return []
  const skipsCode = true
  const choice = { cluster: parsed.cluster, target: undefined, hasInfrastructure: false, skipsCode }
  const chosen = chooseTarget(opened.workspace, choice)
  const { words } = parsed
  const names = propertyNames(opened.path, compileOptions(opened, { files, environment, chosen, words, skipsCode }))
  return names.map((name) => `${name}=`)
}

/** Tools whose operand is the stack; for others it is the value of `--stack`. */
const WITH_OPERAND: ReadonlySet<string> = new Set(['davit-compile-stack', 'davit-fetch-stacks'])

/** Finds stack, cluster and arguments in the words of a command line; some shells take `=` as a word of its own. */
function parseLine([program = '', ...words]: readonly string[], options: OptionTable): Line | undefined {
  const end = words.indexOf('--')
  const before = words.slice(0, end).filter((word) => word !== '=')
  const operand = WITH_OPERAND.has(basename(program)) ? (operandsIn(before, options)[0] ?? '.') : undefined
  const stack = valueIn(before, ['--stack']) ?? operand
  const after = words
    .slice(end + 1)
    .join('\n')
    .replaceAll('\n=\n', '=')
  const behind = after === '' ? [] : after.split('\n')
  return stack === undefined ? undefined : { stack, cluster: valueIn(before, ['--cluster', '-c']), words: behind }
}

function valueIn(words: readonly string[], names: readonly string[]): string | undefined {
  const [first] = words.flatMap((word, index) => {
    const name = names.find((one) => word === one || word.startsWith(`${one}=`))
    if (name === undefined) return []
    return word === name ? (words[index + 1] ?? []) : word.slice(name.length + 1)
  })
  return first
}

function operandsIn(words: readonly string[], options: OptionTable): readonly string[] {
  const withValue = Object.entries(options).flatMap(([name, { type, short }]) =>
    type === 'boolean' ? [] : [`--${name}`, `-${short}`],
  )
  return words.filter((word, index) => !word.startsWith('-') && !withValue.includes(words[index - 1] ?? ''))
}
