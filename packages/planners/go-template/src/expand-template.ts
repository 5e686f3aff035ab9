import { type AllSteps, allSteps, fullBudget, spendText } from './budget.ts'
import { walk } from './evaluate-list.ts'
import { PieceList, type PlacedText } from './placed-text.ts'
import type { Run } from './run.ts'
import type { ParsedTemplate } from './syntax/nodes.ts'
import { ActionFailure, TemplateError } from './template-error.ts'
import type { Place, TemplateFile, TemplateValue } from './template-file.ts'

/** What a template gives: text, and where each part of it was written. */
export interface Expansion {
  readonly text: string
  /** From an offset in the text to the file as written; what an action printed has the place of that action. */
  place(offset: number): Place
  /** What actions printed: offsets of the first character and of the first after it. */
  readonly printed: readonly { readonly start: number; readonly end: number }[]
}

export interface ExpandOptions {
  /** Returns the template that `include` names. Throws an `ActionFailure` that says why there is none. */
  include(from: TemplateFile, path: string): ParsedTemplate
  /** What `set` writes and `get` reads. A caller that offers them to templates as a map, passes that map. */
  readonly variables?: Map<string, TemplateValue>
  /** What all expansions of the caller may still do. */
  readonly all?: AllSteps
}

/** Expands a template with this context as dot. Throws a `TemplateError`. */
export function expandTemplate(template: ParsedTemplate, context: TemplateValue, options: ExpandOptions): Expansion {
  const all = options.all ?? allSteps()
  const budget = fullBudget(all)
  const { steps } = budget
  const run: Run = {
    context,
    variables: options.variables ?? new Map<string, TemplateValue>(),
    budget,
    include: (from, path) => options.include(from, path),
    expand: (included) => expandIn(run, included),
    includes: 0,
    depth: 0,
    current: { file: template.file, offset: 0, function: undefined },
  }
  try {
    return expandIn(run, template)
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error
    const { file, offset, function: name } = run.current
    const message = name === undefined ? error.message : `${name}: ${error.message}`
    throw new TemplateError(message, { file, offset }, { hint: error.hint, cause: error })
  } finally {
    all.left -= steps - budget.steps
  }
}

function expandIn(run: Run, template: ParsedTemplate): PlacedText {
  const output = new PieceList()
  const dot = run.context
  walk({ run, template, output, variables: [{ name: '$', value: dot }], dot }, template.root)
  const placed = output.placed(template.file)
  spendText(run.budget, placed.text.length)
  return placed
}
