import { quoted } from '@davit/diagnostics'

/** What a sentence quotes. */
export type Subjects = readonly unknown[]

/** Shows a subject in a sentence: text in quotes, other values as JSON. */
export function show(subject: unknown): string {
  return quoted(typeof subject === 'string' ? subject : JSON.stringify(subject))
}

/** Shows subjects as a list. */
export function all(subjects: Subjects): string {
  return subjects.map(show).join(', ')
}

/** Says what a constraint asks for. */
export function violated(constraint: string, wanted: unknown): string {
  if (constraint === 'enum' && Array.isArray(wanted)) return `expected one of ${all(wanted)}`
  return `${constraint} wants ${show(wanted)}`
}
