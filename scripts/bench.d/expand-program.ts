// Parses and expands a template: expand TEMPLATE. Prints the seconds that it took.
import { readFileSync } from 'node:fs'
import {
  expandTemplate,
  parseTemplate,
  type TemplateValue,
} from '../../packages/planners/go-template/src/go-template.ts'

const [file = ''] = process.argv.slice(2)
const text = readFileSync(file, 'utf8')
const tag = new Map<string, TemplateValue>([['name', 'value']])
const args = new Map<string, TemplateValue>([
  ['tag', tag],
  ['isOn', true],
  ['zones', ['north', 'south']],
])
const began = performance.now()
const template = parseTemplate({ name: file, text })
expandTemplate(template, new Map([['args', args]]), { include: () => template })
console.log((performance.now() - began) / 1000)
