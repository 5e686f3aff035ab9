import { commonEnvironment, commonExitStatus, commonOptions } from './common-options.ts'
import type { Tool } from './define-tool.ts'
import type { OperandKind, Option } from './option.ts'

/** An option as help, man page and completion show it. */
export interface OptionEntry {
  /** Name without dashes: `old-manifest`. */
  readonly name: string
  /** Whether the option is on by default, and therefore shown as `--[no-]NAME`. */
  readonly onByDefault: boolean
  readonly short: string | undefined
  /** Placeholder of the value; undefined for an option without value. */
  readonly value: string | undefined
  readonly choices: readonly string[]
  /** Description with the default: `… (default: 4)`. */
  readonly describe: string
}

export interface OptionGroup {
  readonly title: string
  readonly options: readonly OptionEntry[]
}

export interface OperandEntry {
  readonly name: string
  readonly kind: OperandKind
  readonly describe: string
  /** Operand as in a usage line: `[MANIFEST]`. */
  readonly usage: string
}

/** All options, including the common ones, by group: those without a group first, the common ones last. */
export function optionGroups(tool: Tool): readonly OptionGroup[] {
  const groups = new Map<string, OptionEntry[]>([['Options', []]])
  for (const [name, option] of allOptions(tool)) {
    const title = option.group ?? 'Options'
    groups.set(title, [...(groups.get(title) ?? []), optionEntry(name, option)])
  }
  return [...groups].filter(([, options]) => options.length > 0).map(([title, options]) => ({ title, options }))
}

/** The options of the tool and the common ones; an option of the tool replaces a common one of the same name. */
export function allOptions(tool: Tool): ReadonlyMap<string, Option> {
  const own = Object.entries(tool.options ?? {})
  const names = new Set(own.map(([name]) => name))
  return new Map([...own, ...Object.entries(commonOptions).filter(([name]) => !names.has(name))])
}

export function operandEntries(tool: Tool): readonly OperandEntry[] {
  const given = Object.entries(tool.operands ?? {})
  return given.map(([name, operand]) => {
    const { kind, describe } = typeof operand === 'string' ? { kind: 'optional' as const, describe: operand } : operand
    return { name, kind, describe, usage: operandUsage(name, kind, given.length === 1) }
  })
}

/** Lines such as `davit-lock [OPTION]... [MANIFEST] [-- COMMAND...]`. */
export function usageLines(tool: Tool): readonly string[] {
  const { usage = [['[OPTION]...', ...operandEntries(tool).map((operand) => operand.usage)].join(' ')] } = tool
  return usage.map((words) => `${tool.name} ${words}`)
}

/** Exit statuses of the tool and the common ones, in ascending order. */
export function exitStatuses(tool: Tool): readonly (readonly [status: string, describe: string])[] {
  return Object.entries({ ...commonExitStatus, ...tool.exitStatus })
}

/** Variables that the tool reads, and their meanings. */
export function environmentEntries(tool: Tool): readonly (readonly [variables: string, describe: string])[] {
  const mirrors = [...allOptions(tool)].flatMap(([name, { env }]) =>
    env === undefined ? [] : [[env.join(', '), `used if --${name} is not given`] as const],
  )
  return [...mirrors, ...Object.entries({ ...tool.environment, ...commonEnvironment })]
}

/** `-o, --old-manifest=FILE` */
export function optionUsage({ short, name, value, onByDefault }: OptionEntry): string {
  const long = `--${onByDefault ? '[no-]' : ''}${name}${value === undefined ? '' : `=${value}`}`
  return short === undefined ? `    ${long}` : `-${short}, ${long}`
}

function optionEntry(name: string, option: Option): OptionEntry {
  return {
    name,
    onByDefault: option.type === 'boolean' && option.default === true,
    short: option.short,
    value: valueOf(option),
    choices: option.type === 'choice' ? option.choices : [],
    describe: `${option.describe}${remarks(option)}`,
  }
}

function valueOf(option: Option): string | undefined {
  switch (option.type) {
    case 'boolean':
      return undefined
    case 'choice':
      return option.choices.join('|')
    case 'integer':
      return option.value ?? 'N'
    default:
      return option.value ?? 'TEXT'
  }
}

function remarks(option: Option): string {
  const parts = [
    ...(option.type === 'list' ? ['may be repeated'] : []),
    ...('required' in option ? ['required'] : []),
    ...(option.type === 'list' || option.default === undefined ? [] : [`default: ${shownDefault(option.default)}`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}

function shownDefault(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

function operandUsage(name: string, kind: OperandKind, alone: boolean): string {
  const word = name.replace(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase()
  switch (kind) {
    case 'optional':
      return `[${word}]`
    case 'required':
      return word
    case 'list':
      return `[${word}]...`
    case 'command':
      return alone ? `[${word} [ARGUMENT]...]` : `[-- ${word}...]`
    case 'arguments':
      return `[-- ${word}...]`
  }
}
