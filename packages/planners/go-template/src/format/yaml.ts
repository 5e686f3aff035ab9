import { writeYaml } from '@davit/languages'
import { type Budget, spendCharacters, spendSteps } from '../budget.ts'
import type { TemplateValue } from '../template-file.ts'
import { isList, isMap, isTrue } from '../values.ts'
import { type TextBuilder, textBuilder } from './text-builder.ts'

/** Writes a value as YAML, without the line break at the end, so that `indent` adds no line. */
export function yamlOf(value: TemplateValue, budget: Budget): string {
  measure(textBuilder(budget), value, 2)
  if (isTrue(value) && (isList(value) || isMap(value))) return writeYaml(value).slice(0, -1)
  return writeYaml(new Map([['v', value]])).slice('v: '.length, -1)
}

/** Accounts for what will be written, with the indentation of every line: deep values are mostly indentation. */
function measure(room: TextBuilder, value: TemplateValue, indent: number): void {
  spendSteps(room.budget, STEPS_OF_NODE)
  if (typeof value === 'string') spendCharacters(room.budget, value.length)
  const lines = typeof value === 'string' ? lineBreaksIn(value) + 1 : 1
  room.reserve(lines * indent + (typeof value === 'string' ? value.length : 0))
  if (isList(value)) room.within(() => value.forEach((item) => measure(room, item, indent + 2)))
  if (!isMap(value)) return
  room.within(() => {
    for (const [key, item] of value) {
      room.reserve(key.length)
      spendCharacters(room.budget, key.length)
      measure(room, item, indent + 2)
    }
  })
}

/** Nodes of YAML are large, and written in several passes. */
const STEPS_OF_NODE = 8

function lineBreaksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
