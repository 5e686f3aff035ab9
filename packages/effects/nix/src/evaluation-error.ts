import { DavitError, type Diagnostic, ExitStatus, type Place, withMargins } from '@davit/diagnostics'
import type { ExpressionProgram } from '@davit/documents'
import type { EvaluationFailure, EvaluationLog, Frame } from './evaluation-log.ts'
import { placeInProgram } from './frame-place.ts'
import { unusableStore } from './unusable-store.ts'
import { parseProblems } from './problems-message.ts'

/** Error for a failed evaluation, with places in the user's files. */
export function evaluationError(
  { error, others }: EvaluationLog,
  { program, exitCode }: { readonly program: ExpressionProgram; readonly exitCode: number },
): DavitError {
  const found = error === undefined ? [otherProblem(others, exitCode)] : problemsOf(error, program)
  const problems = found.map((problem) => ({ ...problem, message: withMargins(problem.message) }))
  const text = found.map(({ message }) => message).join('\n')
  const unusable = unusableStore(text)
  if (unusable !== undefined)
    return new DavitError('cannot-use-store', 'Nix cannot write to its store', { ...unusable, diagnostics: problems })
  return new DavitError('invalid-model', 'Nix cannot evaluate the models', {
    exitStatus: DENIED.test(text) ? ExitStatus.permission : ExitStatus.badDocument,
    diagnostics: problems,
  })
}

/** How Nix ends when it may not read a file that a model names. */
const DENIED = /: Permission denied$/m

function problemsOf(error: EvaluationFailure, program: ExpressionProgram): readonly Diagnostic[] {
  const placeOf = (frame: Frame) => placeInProgram(frame, program)
  const called = calledFunction(error, placeOf)
  const frames = called === undefined ? [error, ...error.trace] : [called.frame, error, ...error.trace]
  const place = [...frames, ...statedFrames(error)].map(placeOf).find((found) => found !== undefined)
  const told = parseProblems(error.message, { program, place })
  const prefixed = (message: string) => [...tagsOf(error), message].join(': ')
  if (told !== undefined) return told.map((problem) => ({ ...problem, message: prefixed(problem.message) }))
  const { message, hint = hintIn(error) } = called ?? { message: shortened(error.message) }
  const lines = [prefixed(message), ...(program.showTrace ? traceOf(error) : [])]
  return [
    {
      severity: 'error',
      message: lines.join('\n'),
      ...(place === undefined ? {} : { place }),
      ...(hint === undefined ? {} : { hint }),
    },
  ]
}

const DID_YOU_MEAN = 'Did you mean '

/** `Did you mean a?`, or `Did you mean one of a, b or c?` */
function hintIn({ text }: EvaluationFailure): string | undefined {
  const begin = text.indexOf(DID_YOU_MEAN)
  if (begin < 0) return undefined
  const [line = ''] = text.slice(begin + DID_YOU_MEAN.length).split('\n', 1)
  const [, oneOf = '', names = ''] = /^(one of )?(.*)$/s.exec(line.slice(0, line.lastIndexOf('?') + 1)) ?? []
  const quoted = names.replaceAll(/[^\s,?]+/g, (name) => (name === 'or' ? name : `'${name}'`))
  return quoted === '' ? undefined : `did you mean ${oneOf}${quoted}`
}

const TAG = '@davit '

/** Steps at which the program was, as it states itself, the outermost first. */
function tagsOf({ trace }: EvaluationFailure): readonly string[] {
  const tags = trace.flatMap(({ message }) => (message.startsWith(TAG) ? [message.slice(TAG.length)] : []))
  return tags.reverse()
}

const PLACE_TAG = /^@davit-at (\d+):(\d+):(.*)$/s

/** Positions that the program states itself, where Nix gives none. */
function statedFrames({ trace }: EvaluationFailure): readonly Frame[] {
  return trace.flatMap(({ message }) => {
    const [, line, column, file] = PLACE_TAG.exec(message) ?? []
    return file === undefined ? [] : [{ message, file, line: Number(line), column: Number(column) }]
  })
}

interface CalledFunction {
  readonly frame: Frame
  readonly message: string
  readonly hint?: string
}

/** A call with wrong arguments is reported at the call or, if davit's program is the caller, at the function. */
function calledFunction(
  error: EvaluationFailure,
  placeOf: (frame: Frame) => Place | undefined,
): CalledFunction | undefined {
  const { name, file, line, column, how, argument } = callIn(error.message) ?? {}
  if (name === undefined || file === undefined) return undefined
  const what = name === 'anonymous function' ? 'this function' : `function ${name}`
  if (placeOf(error) !== undefined) return { frame: error, message: `${what} is ${how}` }
  const frame = { message: error.message, file, line: Number(line), column: Number(column) }
  if (how?.startsWith('called without') === true) return { frame, message: `${what} is ${how}` }
  const message = `${what} does not accept the argument '${argument}'`
  return { frame, message, hint: `add '${argument}' or '...' to the arguments of the function` }
}

/** `NAME at FILE:LINE:COLUMN called with … 'ARGUMENT'` */
function callIn(message: string) {
  const at = message.indexOf(' at /')
  const called = message.indexOf(' called with', at)
  if (at < 0 || called < 0) return undefined
  const [name, place, how] = [
    message.slice(0, at),
    message.slice(at + ' at '.length, called),
    message.slice(called + 1),
  ]
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(place) ?? []
  const quote = how.indexOf(" '")
  if (!/^(?:anonymous function|'[^]*')$/.test(name) || quote < 0 || !how.endsWith("'")) return undefined
  return { name, file, line, column, how, argument: how.slice(quote + 2, -1) }
}

const SHORTENED = [
  { pattern: /^evaluation aborted with the following error message: '(.*)'$/s, by: '$1' },
  { pattern: /^getting status of ('.*'): No such file or directory$/, by: '$1 does not exist' },
]

function shortened(message: string): string {
  return SHORTENED.reduce((text, { pattern, by }) => text.replace(pattern, by), message)
}

function traceOf({ trace }: EvaluationFailure): readonly string[] {
  return trace.filter(({ message }) => !PLACE_TAG.test(message)).map(traceLine)
}

function traceLine({ message, file, line, column }: Frame): string {
  const what = message.startsWith(TAG) ? message.slice(TAG.length) : message
  return `  … ${what}${file === undefined ? '' : ` at ${file}:${line}:${column}`}`
}

const SEGMENTATION_FAULT = 139

function otherProblem(lines: readonly string[], exitCode: number): Diagnostic {
  if (exitCode === SEGMENTATION_FAULT || lines.some((line) => line.includes('stack overflow'))) {
    const hint = 'look for a value that is defined by itself, such as a function that calls itself endlessly'
    return { severity: 'error', message: 'stack overflow: the models recurse endlessly', hint }
  }
  const last = lines.at(-1)
  return { severity: 'error', message: last ?? `nix-instantiate ended with status ${exitCode} and printed no error` }
}
