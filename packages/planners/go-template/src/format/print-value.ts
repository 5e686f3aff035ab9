import type { Budget } from '../budget.ts'
import type { TemplateValue } from '../template-file.ts'
import { entriesOf, isList, isMap, numberText } from '../values.ts'
import { addSeparated, type TextBuilder, textBuilder } from './text-builder.ts'

/** Prints a value as `%v` of Go does. */
export function printed(value: TemplateValue, budget: Budget): string {
  if (typeof value === 'string') return value
  const builder = textBuilder(budget)
  addValue(builder, value)
  return builder.text()
}

/** Prints values as `print` does: with a blank between two of which none is a text. */
export function printedAll(values: readonly TemplateValue[], budget: Budget): string {
  const builder = textBuilder(budget)
  for (const [index, value] of values.entries()) {
    if (index > 0 && typeof value !== 'string' && typeof values[index - 1] !== 'string') builder.add(' ')
    addValue(builder, value)
  }
  return builder.text()
}

/** Prints values as `println` does: with blanks between all, and a line break. */
export function printedLine(values: readonly TemplateValue[], budget: Budget): string {
  const builder = textBuilder(budget)
  addSeparated(builder, { items: values, separator: ' ' }, (value) => addValue(builder, value))
  builder.add('\n')
  return builder.text()
}

function addValue(builder: TextBuilder, value: TemplateValue): void {
  if (typeof value === 'string') builder.add(value)
  else if (typeof value === 'number') builder.add(numberText(value))
  else if (value === null) builder.add('<nil>')
  else if (typeof value === 'boolean') builder.add(String(value))
  else builder.within(() => addCollection(builder, value))
}

function addCollection(builder: TextBuilder, value: TemplateValue): void {
  const add = (item: TemplateValue) => addValue(builder, item)
  builder.add(isList(value) ? '[' : 'map[')
  if (isList(value)) addSeparated(builder, { items: value, separator: ' ' }, add)
  if (isMap(value)) {
    addSeparated(builder, { items: entriesOf(value, builder.budget), separator: ' ' }, ([key, item]) => {
      builder.add(`${key}:`)
      add(item)
    })
  }
  builder.add(']')
}
