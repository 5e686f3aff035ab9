import type { Diagnostic, Place } from '@davit/diagnostics'
import { finding, type StackFinding } from '../finding.ts'
import type { ReadableFile } from './stack-file.ts'

/** Tells what makes the markup of a file invalid, and whether it comes from an action of the template. */
export function badMarkup(file: ReadableFile, problem: Partial<Diagnostic> = {}): StackFinding {
  const { place = { file: file.shown } } = problem
  const hint = isOfAction(file, place) ? OF_ACTION : problem.hint
  return finding('MU151', [], { ...problem, place, hint })
}

const OF_ACTION =
  'what the action here gives is part of the text around it: {{… | quote}} makes a text of it, {{… | json}} any value'

/** Whether an action of the template is at a place of a file. */
function isOfAction({ text, shown }: ReadableFile, { file, line = 0, column = 0 }: Place): boolean {
  if (file !== shown) return false
  const written = text.split(/\r\n|[\r\n]/, line).at(-1) ?? ''
  return [...written.matchAll(/\{\{.*?\}\}/g)].some(({ index, 0: action }) => {
    return index < column && column <= index + action.length
  })
}
