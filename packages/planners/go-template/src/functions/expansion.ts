import { quoted, suggestionFor } from '@davit/diagnostics'
import { spendSteps } from '../budget.ts'
import { formatted } from '../format/formatted.ts'
import { type Frame, plain, type Run } from '../run.ts'
import { ActionFailure, TemplateError } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { any, boolean, takes, takesAll, type TemplateFunction, text } from './definition.ts'

const MAX_INCLUDES = 32

const include: TemplateFunction = {
  least: 1,
  most: 1,
  call([path = null], { run, template }: Frame) {
    if (run.includes >= MAX_INCLUDES) {
      throw new ActionFailure(`more than ${MAX_INCLUDES} files include each other`, 'does a file include itself?')
    }
    const included = run.include(template.file, text(plain(path)))
    spendSteps(run.budget, included.file.text.length >>> 6)
    run.includes += 1
    const expanded = run.expand(included)
    run.includes -= 1
    return expanded
  },
}

/** Ends the expansion with the author's own words. */
function panic([format = null, ...values]: readonly TemplateValue[], { budget, current }: Run): never {
  throw new TemplateError(formatted(text(format), values, budget), { file: current.file, offset: current.offset })
}

function variable(name: string, { variables }: Run): TemplateValue {
  const value = variables.get(name)
  if (value !== undefined) return value
  throw new ActionFailure(`no variable ${quoted(name)} has been set`, suggestionFor(name, variables.keys()))
}

export const expansion = {
  include,
  panic: takesAll(any, 1, panic),
  require: takesAll(any, 2, ([condition = null, ...words], run) => (boolean(condition) ? '' : panic(words, run))),
  set: takes([text, any], ([name, value], { variables }) => {
    variables.set(name, value)
    return ''
  }),
  get: takes([text], ([name], run) => variable(name, run)),
}
