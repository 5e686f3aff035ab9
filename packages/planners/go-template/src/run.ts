import { type Budget, spendSteps } from './budget.ts'
import { PlacedText, type PieceList } from './placed-text.ts'
import type { ParsedTemplate } from './syntax/nodes.ts'
import { ActionFailure } from './template-error.ts'
import type { TemplateFile, TemplateValue } from './template-file.ts'

/** What functions and variables have: included text still knows where it was written. */
export type Value = TemplateValue | PlacedText

/** One expansion, with all that it includes. */
export interface Run {
  readonly context: TemplateValue
  readonly variables: Map<string, TemplateValue>
  readonly budget: Budget
  readonly include: (from: TemplateFile, path: string) => ParsedTemplate
  /** Expands an included template in the same context. */
  readonly expand: (template: ParsedTemplate) => PlacedText
  /** Files that include each other around this point. */
  includes: number
  /** Blocks, templates and parentheses around. */
  depth: number
  /** What is evaluated at the moment, for the place of a failure. */
  readonly current: { file: TemplateFile; offset: number; function: string | undefined }
}

export interface Variable {
  readonly name: string
  value: Value
}

/** Where in a run something is evaluated. */
export interface Frame {
  readonly run: Run
  readonly template: ParsedTemplate
  readonly output: PieceList
  /** Those that are declared here; the last one with a name counts. */
  readonly variables: Variable[]
  readonly dot: Value
}

/** Notes what is evaluated next, and counts it. */
export function step({ run, template }: Frame, offset: number, name?: string): void {
  run.current.file = template.file
  run.current.offset = offset
  run.current.function = name
  spendSteps(run.budget, 1)
}

/** Every level takes some of the stack. */
const MAX_DEPTH = 1_000

/** Evaluates what is within a block, a template or parentheses. A failure ends the whole run, so `depth` may stay as it is then. */
export function within<Result>({ run }: Frame, evaluate: () => Result): Result {
  if (run.depth >= MAX_DEPTH) {
    throw new ActionFailure(
      `more than ${MAX_DEPTH} blocks and templates within each other`,
      'does a template call itself without end?',
    )
  }
  run.depth += 1
  const result = evaluate()
  run.depth -= 1
  return result
}

export function plain(value: Value): TemplateValue {
  return value instanceof PlacedText ? value.text : value
}
