interface OptionBase {
  readonly describe: string
  /** One letter. */
  readonly short?: string
  /** Variables that set the option if it is not given; the first that is set and not empty counts. */
  readonly env?: readonly string[]
  /** Heading in help and man page; by default 'Options'. */
  readonly group?: string
  /** Options that it cannot be combined with, such as `no-lock`; those that the tool does not have count as not given. */
  readonly excludes?: readonly string[]
  /** Whether a run that goes on with one that was cut off has it as that had it, unless it is given. */
  readonly continued?: true
}

export interface BooleanOption extends OptionBase {
  readonly type: 'boolean'
  /** If `true`, the option is usually given as `--no-NAME`, and shown as `--[no-]NAME`. */
  readonly default?: boolean
}

export interface StringOption extends OptionBase {
  readonly type: 'string'
  /** Placeholder of the value in help; FILE and DIRECTORY are completed as such. */
  readonly value?: string
  readonly default?: string
  readonly required?: true
}

export interface IntegerOption extends OptionBase {
  readonly type: 'integer'
  readonly value?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

/** May be given more than once. */
export interface ListOption extends OptionBase {
  readonly type: 'list'
  readonly value?: string
}

export interface ChoiceOption extends OptionBase {
  readonly type: 'choice'
  readonly choices: readonly string[]
  readonly default?: string
}

export type Option = BooleanOption | StringOption | IntegerOption | ListOption | ChoiceOption

/** Options by name, without the leading dashes. */
export type OptionTable = Readonly<Record<string, Option>>

export type OperandKind =
  | 'optional'
  | 'required'
  /** All remaining operands. */
  | 'list'
  /** A command line: all words after `--`, or, if it is the only operand, all words from the first operand on. */
  | 'command'
  /** All words after `--`, and no others. */
  | 'arguments'

/** An operand; a mere text is the description of an optional one. */
export type Operand = string | { readonly kind: OperandKind; readonly describe: string }

/** Operands by name, in their order. */
export type OperandTable = Readonly<Record<string, Operand>>

/** Arguments of a tool: a property for each option and operand, in camel case. */
export type ArgumentsOf<Options extends OptionTable, Operands extends OperandTable> = {
  readonly [Name in keyof Options & string as CamelCase<Name>]: ValueOfOption<Options[Name]>
} & {
  readonly [Name in keyof Operands & string as CamelCase<Name>]: ValueOfOperand<Operands[Name]>
}

export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** `old-manifest` → `oldManifest` */
export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

type ValueOfOption<Given extends Option> = Given extends { type: 'boolean' }
  ? boolean
  : Given extends { type: 'list' }
    ? readonly string[]
    : Given extends { type: 'integer' }
      ? number | Absent<Given>
      : Given extends { type: 'choice'; choices: readonly (infer Choice)[] }
        ? Choice | Absent<Given>
        : string | Absent<Given>

type Absent<Given extends Option> = Given extends { default: string | number } | { required: true } ? never : undefined

type ValueOfOperand<Given extends Operand> = Given extends { kind: 'list' | 'command' | 'arguments' }
  ? readonly string[]
  : Given extends { kind: 'required' }
    ? string
    : string | undefined
