import {
  DavitError,
  type Diagnostic,
  ExitStatus,
  firstDiagnostics,
  type Path,
  renderDiagnostic,
} from '@davit/diagnostics'
import type { Model } from './model.ts'
import type { Part } from './part.ts'

/** Makes the root part of a model; `prefix` is its path in the architecture model. */
export function rootOf(
  model: Model,
  value: unknown,
  { prefix, problems }: { prefix: Path; problems: Diagnostic[] },
): Part {
  const inFile = (path: Path) => path.slice(prefix.length)
  const { writtenAt } = model
  return {
    value,
    path: prefix,
    origin: {
      problems,
      seen: { parts: 0 },
      directory: model.directory,
      placeOf: (path) => model.placeOf(inFile(path)),
      placeOfKey: (path) => model.placeOfKey(inFile(path)),
      ...(writtenAt === undefined ? {} : { writtenAt: (path: Path) => writtenAt(inFile(path)) }),
    },
  }
}

export interface Collected<Result> {
  readonly result: Result
  readonly warnings: readonly Diagnostic[]
}

/** Runs work that collects problems; if one is an error, throws them together, with the error that stopped the work, if any. */
export async function collectingProblems<Result>(
  work: (problems: Diagnostic[]) => Promise<Result>,
): Promise<Collected<Result>> {
  const problems: Diagnostic[] = []
  const result = await work(problems).catch((error: unknown) => {
    if (error instanceof DavitError && problems.length > 0) throw together([invalidModel(problems), error])
    throw error
  })
  if (problems.some(({ severity }) => severity === 'error')) throw invalidModel(problems)
  return { result, warnings: onceEach(problems) }
}

export function invalidModel(problems: readonly Diagnostic[], cause?: unknown): DavitError {
  const diagnostics = onceEach(problems)
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const count = errors === 1 ? 'an error' : `${errors} errors`
  return new DavitError('invalid-model', `the models have ${count}`, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: firstDiagnostics(diagnostics),
    cause,
  })
}

/** Removes repetitions: a problem often occurs for every system. */
function onceEach(problems: readonly Diagnostic[]): Diagnostic[] {
  return inOrder([...new Map(problems.map((problem) => [renderDiagnostic(problem), problem])).values()])
}

/** Orders problems: warnings first, since errors may follow from them; then by file in the order of reading, and by position. */
function inOrder(problems: readonly Diagnostic[]): Diagnostic[] {
  const files = [...new Set(problems.map(({ place }) => place?.file))]
  const rankOf = ({ severity, place }: Diagnostic) => [
    severity === 'warning' ? 0 : 1,
    files.indexOf(place?.file),
    place?.line ?? 0,
    place?.column ?? 0,
  ]
  return problems
    .map((problem) => ({ problem, rank: rankOf(problem) }))
    .sort((left, right) => left.rank.map((value, index) => value - (right.rank[index] ?? 0)).find(Boolean) ?? 0)
    .map(({ problem }) => problem)
}

/** Combines several failures into one, so that all are shown together. */
export function together(errors: readonly DavitError[]): DavitError {
  const [first, ...others] = errors
  if (first !== undefined && others.length === 0) return first
  const failure = invalidModel(errors.flatMap(diagnosticsOf))
  return new DavitError(failure.code, failure.message, {
    exitStatus: first?.exitStatus ?? failure.exitStatus,
    diagnostics: failure.diagnostics,
  })
}

function diagnosticsOf({ diagnostics, message, hint }: DavitError): readonly Diagnostic[] {
  if (diagnostics.length > 0) return diagnostics
  return [{ severity: 'error', message, ...(hint === undefined ? {} : { hint }) }]
}
