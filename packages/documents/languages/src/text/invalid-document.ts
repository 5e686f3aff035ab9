import { DavitError, type Diagnostic, ExitStatus, firstDiagnostics } from '@davit/diagnostics'
import { MAX_TEXT_LENGTH } from './limits.ts'
import { type SourceText, sourceText } from './located.ts'

export interface ParseOptions {
  /** Name of the file in messages: a path, or `<stdin>`. */
  readonly file: string
}

/** Removes a byte order mark; throws when the text is too large. */
export function openSource(text: string, { file }: ParseOptions): SourceText {
  if (text.length <= MAX_TEXT_LENGTH) return sourceText(text.replace(/^\uFEFF/, ''), file)
  throw invalidDocument(`'${file}' is too large: davit reads at most ${MAX_TEXT_LENGTH} characters`, [])
}

/** Makes the error for problems of one text, in the order of the text, each once. */
export function invalidDocument(message: string, diagnostics: readonly Diagnostic[], hint?: string): DavitError {
  const distinct = new Map(diagnostics.map((diagnostic) => [identityOf(diagnostic), diagnostic]))
  const shown = firstDiagnostics([...distinct.values()].toSorted(byPlace))
  return new DavitError('invalid-document', message, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: shown,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Everything that is shown except the source line, which may be as long as the text. */
function identityOf({ place, ...rest }: Diagnostic): string {
  return JSON.stringify([rest, place?.file, place?.line, place?.column])
}

function byPlace(left: Diagnostic, right: Diagnostic): number {
  const [before, after] = [left, right].map(({ place }) => ({ line: 0, column: 0, ...place }))
  if (before === undefined || after === undefined) return 0
  return before.line - after.line || before.column - after.column
}
