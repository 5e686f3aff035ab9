import {
  DavitError,
  type Diagnostic,
  ExitStatus,
  firstDiagnostics,
  MAX_DIAGNOSTICS,
  quoted,
  type Report,
} from '@davit/diagnostics'
import type { CompiledStack } from './compile-stack.ts'
import { finding, placeOf, type StackFinding } from './finding.ts'

function isError({ severity }: StackFinding): boolean {
  return severity === 'error'
}

/** Reports warnings, and throws the error for all errors if there are any. */
export function acceptFindings(findings: readonly StackFinding[], report: Report): void {
  for (const diagnostic of findings) if (!isError(diagnostic)) report({ kind: 'diagnostic', diagnostic })
  if (findings.some(isError)) throw stackRefusal(findings)
}

/** Makes the error for a stack that cannot be compiled, with all that is wrong with it, in the order in which it was found. */
export function stackRefusal(findings: readonly StackFinding[]): DavitError {
  const errors = findings.filter(isError)
  const isNone = errors.some(({ code }) => code === 'MU100' || code === 'MU103')
  const [first] = errors
  const where = first?.place === undefined ? '' : `, the first in '${first.place.file}'`
  const count = `${errors.length} ${errors.length === 1 ? 'error' : 'errors'}${where}`
  return new DavitError('invalid-stack', `the stack cannot be compiled: ${count}`, {
    exitStatus: isNone ? ExitStatus.noInput : ExitStatus.badDocument,
    diagnostics: shownOf(errors),
  })
}

/** Of more errors than are shown, those that instances of one stack have alike are told once, so that they do not hide others. */
function shownOf(errors: readonly StackFinding[]): readonly Diagnostic[] {
  if (errors.length <= MAX_DIAGNOSTICS) return errors
  const distinct = [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()]
  const repeated = errors.length - distinct.length
  if (repeated === 0) return firstDiagnostics(errors)
  const rest: Diagnostic = { severity: 'error', message: `${repeated} more are the same, in other instances` }
  return [...firstDiagnostics(distinct), rest]
}

/** Reports the leaves that a back end does not know, in the order of the tree; it goes by the names of their stacks. */
export function unknownIntrinsics(
  { instances, options }: CompiledStack,
  known: ReadonlySet<string>,
): readonly StackFinding[] {
  return [...instances.values()].flatMap(({ body, spot }) => {
    const name = body.name?.text ?? ''
    if (!body.isIntrinsic || known.has(name)) return []
    const message = `the target ${quoted(options.target.cloud ?? '')} does not know ${quoted(name)}`
    return [finding('MU1000', [name], { place: placeOf(spot), message })]
  })
}

/** What a back end makes of a compiled stack. */
export type Emission =
  | { readonly kind: 'emitted'; readonly text: string; readonly findings: readonly StackFinding[] }
  | { readonly kind: 'refused'; readonly findings: readonly StackFinding[] }
