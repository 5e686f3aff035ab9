import { type Diagnostic, type Path, type Place, suggestionFor } from '@davit/diagnostics'
import type { ExpressionProgram } from '@davit/documents'
import { placeInProgram, type Position } from './frame-place.ts'

const MARK = '@davit-problems '

interface Problem extends Position {
  readonly message: string
  readonly hint?: string
  readonly path?: Path
  /** A name that should be one of these. */
  readonly wrong?: string
  readonly candidates?: readonly string[]
}

interface Around {
  readonly program: ExpressionProgram
  /** Where it was thrown, for a problem that does not say where it stands. */
  readonly place: Place | undefined
}

/** Problems that a program found itself, thrown as one text; nothing for any other text. */
export function parseProblems(text: string, around: Around): readonly Diagnostic[] | undefined {
  if (!text.startsWith(MARK)) return undefined
  const problems = JSON.parse(text.slice(MARK.length)) as readonly Problem[]
  return problems.map((problem) => diagnosticOf(problem, around))
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
