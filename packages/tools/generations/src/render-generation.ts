import { printableLines, renderTime } from '@davit/diagnostics'
import type { MadeFrom } from '@davit/documents'
import { stepText } from '@davit/transition'

import { countOf, type ListedGeneration, renderGenerations } from './list-generations.ts'

/** Renders what is known about a generation, for people. */
export function renderGeneration(generation: ListedGeneration, madeFrom: MadeFrom | undefined): string {
  const sections =
    madeFrom === undefined ? ['made from: unknown, since nothing was kept with it'] : linesOf(generation, madeFrom)
  return renderGenerations([generation]) + printableLines(sections)
}

function linesOf(
  { content }: ListedGeneration,
  { davit, order, models, stack, transition }: MadeFrom,
): readonly string[] {
  const sudoUser = content?.origin.sudoUser
  return [
    ...(davit === undefined ? [] : [`davit: ${davit}`]),
    ...(sudoUser === undefined ? [] : [`by: ${sudoUser}, with sudo`]),
    ...(order === undefined ? ['command: unknown, since the tools were called one by one'] : orderLines(order)),
    ...(stack === undefined ? [] : ['stack: kept, for --stack']),
    ...(models === undefined ? [] : modelLines(models)),
    ...(transition === undefined ? ['plan: unknown'] : transitionLines(transition)),
  ]
}

function orderLines({ tool, began, directory, options }: NonNullable<MadeFrom['order']>): readonly string[] {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`]
    return [value].flat().map((one) => (isOperand(tool, name) ? `${one}` : `--${name}=${one}`))
  })
  return [`command: ${tool}, begun ${renderTime(new Date(began))} in ${directory}`, ...words.map(indented)]
}

/** Tools that take the infrastructure model without an option. */
const READ_TARGETS: ReadonlySet<string> = new Set(['davit-reconstruct', 'davit-adopt'])

function isOperand(tool: string, name: string): boolean {
  return name === 'infrastructure' && READ_TARGETS.has(tool)
}

function modelLines(models: NonNullable<MadeFrom['models']>): readonly string[] {
  const lineOf = ({ file, role = 'imported', bytes, sha256, text }: (typeof models)[number]) =>
    `${role}: ${file}, ${countOf(bytes, 'byte')}, sha256 ${sha256.slice(0, SHOWN_OF_HASH)}${text === undefined ? ', text not kept' : ''}`
  return ['models:', ...models.map(lineOf).map(indented)]
}

const SHOWN_OF_HASH = 12

function transitionLines({ began, ended, steps, messages }: NonNullable<MadeFrom['transition']>): readonly string[] {
  const seconds = Math.round((Date.parse(ended) - Date.parse(began)) / 100) / 10
  const told = messages.map(({ kind, message, target }) => {
    const where = target === undefined ? '' : `[${target}] `
    return `${where}${kind}: ${message}`
  })
  return [
    `plan, carried out in ${seconds} s: ${steps.length === 0 ? 'nothing to do' : countsOf(steps)}`,
    ...steps.map(stepText).map(indented),
    ...(told.length === 0 ? [] : ['reported:', ...told.map(indented)]),
  ]
}

/** `2 activated, 1 deactivated` */
function countsOf(steps: readonly { readonly activity: string }[]): string {
  const counts = Object.entries(DONE).map(([activity, done]) => {
    const { length } = steps.filter((step) => step.activity === activity)
    return length === 0 ? [] : [`${length} ${done}`]
  })
  return counts.flat().join(', ')
}

const DONE = {
  activate: 'activated',
  deactivate: 'deactivated',
  snapshot: 'saved',
  transfer: 'transferred',
  restore: 'restored',
}

function indented(line: string): string {
  return `  ${line}`
}
