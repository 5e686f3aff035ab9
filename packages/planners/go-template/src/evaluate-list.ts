import { quoted } from '@davit/diagnostics'
import { type Budget, checkOutput, PIECE, spendReading, spendText } from './budget.ts'
import { evaluatePipe } from './evaluate-pipe.ts'
import { printed } from './format/print-value.ts'
import { PlacedText } from './placed-text.ts'
import { type Frame, plain, step, type Value, within } from './run.ts'
import type { ActionNode, BranchNode, CallNode, List } from './syntax/nodes.ts'
import { ActionFailure } from './template-error.ts'
import type { TemplateValue } from './template-file.ts'
import { describe, entriesOf, isList, isMap, isTrue } from './values.ts'

/** Prints a list of nodes to the output of the frame. */
export function walk(frame: Frame, list: List): void {
  for (const node of list) {
    step(frame, node.at)
    switch (node.kind) {
      case 'text':
        print(frame, node.text, { offset: node.at, isWritten: true })
        break
      case 'action':
        walkAction(frame, node)
        break
      case 'template':
        walkCall(frame, node)
        break
      default:
        walkBranch(frame, node)
    }
  }
}

function print(
  { run, template, output }: Frame,
  text: string,
  source: { readonly offset: number; readonly isWritten: boolean },
): void {
  spendText(run.budget, PIECE)
  spendReading(run.budget, text.length)
  output.add(text, { file: template.file, ...source })
  checkOutput(output.bytes)
}

function walkAction(frame: Frame, { at, pipe }: ActionNode): void {
  const value = evaluatePipe(frame, pipe)
  if (pipe.declares.length > 0) return
  step(frame, at)
  if (!(value instanceof PlacedText)) {
    const text = typeof value === 'string' ? value : printedAlone(frame, value)
    print(frame, text, { offset: at, isWritten: false })
    return
  }
  value.copy((text, source) => {
    spendText(frame.run.budget, PIECE)
    spendReading(frame.run.budget, text.length)
    frame.output.add(text, source)
  })
  checkOutput(frame.output.bytes)
}

function printedAlone({ run }: Frame, value: TemplateValue): string {
  return value === null ? '<no value>' : printed(value, run.budget)
}

/** Variables that are declared in a branch end with it. */
function walkBranch(frame: Frame, node: BranchNode): void {
  const outside = frame.variables.length
  const value = evaluatePipe(frame, node.pipe)
  within(frame, () => {
    if (node.kind === 'range') walkRange(frame, node, plain(value))
    else if (!isTrue(plain(value))) walk(frame, node.otherwise)
    else walk(node.kind === 'with' ? { ...frame, dot: value } : frame, node.body)
  })
  forgetSince(frame, outside)
}

/** Setting the length of an array is slow, and few blocks declare anything. */
function forgetSince({ variables }: Frame, length: number): void {
  if (variables.length > length) variables.length = length
}

function walkRange(frame: Frame, node: BranchNode, value: TemplateValue): void {
  const entries = elementsOf(value, frame.run.budget)
  if (entries === undefined) {
    step(frame, node.pipe.at)
    throw new ActionFailure(`range goes over lists and maps, not over ${describe(value)}`)
  }
  const element = frame.variables.at(-1)
  const index = frame.variables.at(-2)
  const outside = frame.variables.length
  for (const [key, item] of entries) {
    step(frame, node.at)
    if (node.pipe.declares.length > 0 && element !== undefined) element.value = item
    if (node.pipe.declares.length > 1 && index !== undefined) index.value = key
    walk({ ...frame, dot: item }, node.body)
    forgetSince(frame, outside)
  }
  if (isEmpty(value)) walk(frame, node.otherwise)
}

/** Nil is like an empty list. */
function elementsOf(value: TemplateValue, budget: Budget): Iterable<readonly [Value, Value]> | undefined {
  if (value === null) return []
  if (isList(value)) return value.entries()
  return isMap(value) ? entriesOf(value, budget) : undefined
}

function isEmpty(value: TemplateValue): boolean {
  return !isTrue(value)
}

function walkCall(frame: Frame, { at, name, pipe }: CallNode): void {
  const { run, template, output } = frame
  const body = template.definitions.get(name)
  if (body === undefined) {
    throw new ActionFailure(`no template ${quoted(name)} is defined in this file`)
  }
  const dot = pipe === undefined ? null : evaluatePipe(frame, pipe)
  step(frame, at)
  within(frame, () => walk({ run, template, output, variables: [{ name: '$', value: dot }], dot }, body))
}
