import type { ArgumentsOf, OperandTable, OptionTable } from './option.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ToolContext } from './tool-context.ts'

export interface Example {
  readonly command: string
  readonly describe: string
}

/** Terms and their meanings, below a heading. */
export interface HelpSection {
  readonly title: string
  readonly rows: readonly (readonly [term: string, describe: string])[]
}

/** Description of an executable, from which help, man page and completions are made. */
export interface ToolDescription<
  Options extends OptionTable = OptionTable,
  Operands extends OperandTable = OperandTable,
> {
  /** Name of the executable: `davit-activate`. */
  readonly name: string
  /** One sentence in the imperative, without a full stop. */
  readonly summary: string
  /** Paragraphs for the man page and, below the options, for `--help`. */
  readonly description?: readonly string[]
  readonly examples: readonly Example[]
  /** Command lines, without the name of the tool, for tools that work in several ways; by default one that names the operands. */
  readonly usage?: readonly string[]
  /** Hint for who passes an operand to a tool that takes none. */
  readonly instead?: string
  readonly operands?: Operands
  readonly options?: Options
  /** Exit statuses of this tool (0 to 9); those that all executables share are added. */
  readonly exitStatus?: Readonly<Record<number, string>>
  /** Variables other than those that set options, and their meanings. */
  readonly environment?: Readonly<Record<string, string>>
  /** References to files and other tools, for the man page: `davit-manifest(1)`. */
  readonly seeAlso?: readonly string[]
  /** Whether the tool holds thousands of services and moves few bytes, so that its memory is to be kept small. */
  readonly holdsMuch?: boolean
  /** Boolean option, as its argument is named, with which the tool goes on until it is interrupted: then that is its quiet end. */
  readonly endless?: string
  /** What an interruption leaves, and how to continue; tools that know more throw an error of their own. */
  readonly interrupted?: {
    /** What the tool does at the first signal, unless it finishes what is running. */
    readonly announcement?: string
    /** After one signal: running work was finished or undone. */
    readonly once: string
    /** After a second signal: the tool stopped where it was. */
    readonly twice: string
  }
}

/** A description together with what the executable does. */
export interface ToolDefinition<Options extends OptionTable, Operands extends OperandTable> extends ToolDescription<
  Options,
  Operands
> {
  /** Finds a section of `--help` that depends on the machine. */
  findHelp?(place: Pick<ToolContext<unknown>, 'environment' | 'executable'>): Promise<HelpSection | undefined>
  /** Runs the tool, which ends with the status returned, or 0. Throws a DavitError to stop. */
  run(context: ToolContext<ArgumentsOf<Options, Operands>>): Promise<number | void>
}

/** Any tool, for code that does not depend on its arguments. */
export interface Tool extends Omit<ToolDefinition<OptionTable, OperandTable>, 'run'> {
  run(context: ToolContext<Arguments>): Promise<number | void>
}

/** Returns its argument; infers what `run` gets as `args`. */
export function defineTool<
  const Options extends OptionTable = Record<never, never>,
  const Operands extends OperandTable = Record<never, never>,
>(tool: ToolDefinition<Options, Operands>): ToolDefinition<Options, Operands> {
  return tool
}
