import { checkLength, spendCharacters, spendReading } from '../budget.ts'
import { formatted } from '../format/formatted.ts'
import { printed, printedAll, printedLine } from '../format/print-value.ts'
import { jsonOf } from '../format/json.ts'
import { quoteGo } from '../format/quote-go.ts'
import { yamlOf } from '../format/yaml.ts'
import type { Run } from '../run.ts'
import type { TemplateValue } from '../template-file.ts'
import { any, takes, takesAll, text } from './definition.ts'

function printf([format = null, ...values]: readonly TemplateValue[], { budget }: Run): string {
  return formatted(text(format), values, budget)
}

/** Texts of values for a result that is about three times as long at most. Nil is left out. */
function texts(values: readonly TemplateValue[], { budget }: Run): readonly string[] {
  const parts = values.flatMap((value) => (value === null ? [] : [printed(value, budget)]))
  const length = parts.reduce((sum, part) => sum + part.length + 1, 0)
  checkLength(length)
  spendReading(budget, length)
  return parts
}

/** A quote within single quotes is doubled, as YAML wants it. */
function singleQuoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

export const printing = {
  print: takesAll(any, 0, (values, { budget }) => printedAll(values, budget)),
  println: takesAll(any, 0, (values, { budget }) => printedLine(values, budget)),
  printf: takesAll(any, 1, printf),
  quote: takesAll(any, 0, (values, run) =>
    texts(values, run)
      .map((value) => {
        spendCharacters(run.budget, value.length)
        return quoteGo(value)
      })
      .join(' '),
  ),
  squote: takesAll(any, 0, (values, run) => texts(values, run).map(singleQuoted).join(' ')),
  cat: takesAll(any, 0, (values, run) => texts(values, run).join(' ')),
  json: takes([any], ([value], { budget }) => jsonOf(value, budget)),
  yaml: takes([any], ([value], { budget }) => yamlOf(value, budget)),
}
