import { type Diagnostic, type Path, type Place, suggestionFor } from '@davit/diagnostics'
import type { ExpressionProgram } from '@davit/documents'
import { placeInProgram, type Position } from './frame-place.ts'

const MARK = '@davit-problems '

interface Problem extends Position {
  readonly message: string
  readonly hint?: string
  readonly path?: Path
  /** A name that should be one of `candidates`. */
  readonly wrong?: string
  readonly candidates?: readonly string[]
}

interface Around {
  readonly program: ExpressionProgram
  /** Where the text was thrown, for problems without a place of their own. */
  readonly place: Place | undefined
}

/** Parses problems that a program found itself, thrown as one text; nothing for any other text. */
export function parseProblems(text: string, around: Around): readonly Diagnostic[] | undefined {
  if (!text.startsWith(MARK)) return undefined
  return problemsIn(text.slice(MARK.length))?.map((problem) => diagnosticOf(problem, around))
}

/** Models, too, can throw a text that begins with the mark. */
function problemsIn(json: string): readonly Problem[] | undefined {
  try {
    const problems: unknown = JSON.parse(json)
    return Array.isArray(problems) && problems.length > 0 && problems.every(isProblem) ? problems : undefined
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false
  const { message, path, candidates, ...others } = value as Readonly<Record<string, unknown>>
  const texts = [message, ...['hint', 'wrong', 'file'].flatMap((name) => others[name] ?? [])]
  return texts.every((text) => typeof text === 'string') && isListOfNames(path) && isListOfNames(candidates)
}

function isListOfNames(value: unknown = []): boolean {
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number')
}

function diagnosticOf(problem: Problem, { program, place: thrownAt }: Around): Diagnostic {
  const { message, path } = problem
  const place = placeInProgram(problem, program) ?? (path === undefined ? thrownAt : undefined)
  const hint = hintOf(problem)
  return {
    severity: 'error',
    message,
    ...(place === undefined ? {} : { place }),
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
  }
}

function hintOf({ hint, wrong, candidates = [] }: Problem): string | undefined {
  return (wrong === undefined ? undefined : suggestionFor(wrong, candidates)) ?? hint
}
