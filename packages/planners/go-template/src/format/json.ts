import type { Budget } from '../budget.ts'
import type { TemplateValue } from '../template-file.ts'
import { entriesOf, isList, isMap } from '../values.ts'
import { addSeparated, type TextBuilder, textBuilder } from './text-builder.ts'

/** Writes a value as JSON on one line, which is YAML too; maps in the order of their keys. */
export function jsonOf(value: TemplateValue, budget: Budget): string {
  const builder = textBuilder(budget)
  add(builder, value)
  return builder.text()
}

function add(builder: TextBuilder, value: TemplateValue): void {
  if (isList(value)) {
    builder.within(() => {
      builder.add('[')
      addSeparated(builder, { items: value, separator: ',' }, (item) => add(builder, item))
      builder.add(']')
    })
  } else if (isMap(value)) {
    builder.within(() => addMap(builder, value))
  } else {
    builder.add(JSON.stringify(value))
  }
}

function addMap(builder: TextBuilder, map: ReadonlyMap<string, TemplateValue>): void {
  builder.add('{')
  addSeparated(builder, { items: entriesOf(map, builder.budget), separator: ',' }, ([key, item]) => {
    builder.add(`${JSON.stringify(key)}:`)
    add(builder, item)
  })
  builder.add('}')
}
