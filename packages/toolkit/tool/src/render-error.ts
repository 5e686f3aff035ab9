import { DavitError, ExitStatus, messageLines, printable, renderDiagnostic, withMargins } from '@davit/diagnostics'

import { withFields } from './render-event.ts'
import { explained } from './system-failure.ts'

export interface ErrorStyle {
  readonly tool: string
  readonly format: 'text' | 'json'
  /** Whether to print stack traces; those of bugs are always printed. */
  readonly debug: boolean
}

/** Renders an error, with a newline at the end of each line. */
export function renderError(thrown: unknown, style: ErrorStyle): string {
  const error = explained(thrown)
  const lines = style.format === 'json' ? [printable(renderJson(error, style))] : renderText(error, style)
  return lines.map((line) => `${line}\n`).join('')
}

/** Exit status for an error. */
export function exitStatusOf(thrown: unknown): number {
  const error = explained(thrown)
  return error instanceof DavitError ? error.exitStatus : ExitStatus.bug
}

/** Fields of a journal entry for the error that ended a tool; empty if there was none. */
export function endOf(thrown: unknown): { readonly code?: string; readonly message?: string } {
  if (thrown === undefined) return {}
  const error = explained(thrown)
  return { code: error instanceof DavitError ? error.code : INTERNAL.code, message: messageOf(error) }
}

function renderText(error: unknown, { tool, debug }: ErrorStyle): string[] {
  if (!(error instanceof DavitError)) {
    return [...messageLines(`${tool}: internal error, please report it: ${messageOf(error)}`), ...stackOf(error)]
  }
  return [
    ...error.diagnostics.map(renderDiagnostic),
    ...messageLines(`${tool}: ${error.message} [${error.code}]`),
    ...causesOf(error).flatMap((cause) => messageLines(withMargins(`caused by: ${messageOf(cause)}`))),
    ...(error.hint === undefined ? [] : messageLines(`hint: ${error.hint}`)),
    ...(debug ? [error, ...causesOf(error)].flatMap(stackOf) : []),
  ]
}

function renderJson(error: unknown, { tool, debug }: ErrorStyle): string {
  const { code, hint, fields, diagnostics } = error instanceof DavitError ? error : INTERNAL
  const causes = causesOf(error).map(messageOf)
  const stack = debug || !(error instanceof DavitError) ? stackOf(error) : undefined
  const exitStatus = exitStatusOf(error)
  return JSON.stringify({
    kind: 'error',
    tool,
    code,
    message: messageOf(error),
    ...fields,
    exitStatus,
    causes,
    hint,
    diagnostics: diagnostics.map((diagnostic) => withFields<object>(diagnostic)),
    stack,
  })
}

const INTERNAL = {
  code: 'internal-error',
  hint: 'this is a bug in davit: please report it',
  fields: {},
  diagnostics: [],
}

/** Causes of an error, the nearest first; stops if the chain is circular. */
function causesOf(error: unknown): readonly unknown[] {
  const causes = new Set<unknown>([error])
  for (let cause = nextCause(error); cause !== undefined && !causes.has(cause); cause = nextCause(cause))
    causes.add(cause)
  return [...causes].slice(1)
}

function nextCause(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function stackOf(error: unknown): readonly string[] {
  return error instanceof Error && error.stack !== undefined ? messageLines(error.stack) : []
}
