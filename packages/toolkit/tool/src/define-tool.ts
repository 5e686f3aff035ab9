import type { ArgumentsOf, OperandTable, OptionTable } from './option.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ToolContext } from './tool-context.ts'

export interface Example {
  readonly command: string
  readonly describe: string
}

/** Terms and what they mean, below a heading. */
export interface HelpSection {
  readonly title: string
  readonly rows: readonly (readonly [term: string, describe: string])[]
}

/** Everything there is to know about an executable: help, man page and completion are made from it. */
export interface ToolDefinition<Options extends OptionTable, Operands extends OperandTable> {
  /** As it is called: `davit-activate`. */
  readonly name: string
  /** One sentence in the imperative, without full stop. */
  readonly summary: string
  /** Paragraphs for the man page and, below the options, for `--help`. */
  readonly description?: readonly string[]
  readonly examples: readonly Example[]
  readonly operands?: Operands
  readonly options?: Options
  /** Statuses of its own (0 to 9); those that all executables share are added. */
  readonly exitStatus?: Readonly<Record<number, string>>
  /** Variables other than those that stand in for options, and what they do. */
  readonly environment?: Readonly<Record<string, string>>
  /** Files and other tools, for the man page: `davit-manifest(1)`. */
  readonly seeAlso?: readonly string[]
  /** What is left, and how to go on, for who has interrupted it; tools that know more say it in an error of their own. */
  readonly interrupted?: {
    /** By one signal: what runs was finished or undone. */
    readonly once: string
    /** By a second one: it has stopped where it was. */
    readonly twice: string
  }
  /** A section of `--help` that only the machine knows. */
  findHelp?(place: Pick<ToolContext<unknown>, 'environment' | 'executable'>): Promise<HelpSection>
  /** Ends with 0, or the status it returns. Throws a DavitError to stop. */
  run(context: ToolContext<ArgumentsOf<Options, Operands>>): Promise<number | void>
}

/** Any tool, for those who do not care about its arguments. */
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
