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
  const open = column > 0 ? written.lastIndexOf('{{', column - 1) : -1
  const close = open < 0 ? -1 : written.indexOf('}}', open + 2)
  return close >= 0 && column <= close + 2
}
