export { parseBytes, renderBytes } from './bytes.ts'
export { DavitError, type DavitErrorOptions } from './davit-error.ts'
export {
  asDiagnostic,
  atPath,
  type CodedFinding,
  type Diagnostic,
  type Finding,
  type Path,
  type Place,
  renderDiagnostic,
  renderPath,
} from './diagnostic.ts'
export type { ErrorCode } from './error-codes.ts'
export { ExitStatus } from './exit-status.ts'
export { hasCode } from './has-code.ts'
export { firstDiagnostics, MAX_DIAGNOSTICS, MAX_HINTS } from './first-diagnostics.ts'
export {
  asDetail,
  detail,
  type Fields,
  type FieldTable,
  type FieldType,
  type Message,
  messages,
  note,
  warning,
} from './message-table.ts'
export {
  messageLines,
  nameLines,
  nameText,
  printable,
  printableLine,
  printableLines,
  withMargins,
} from './printable.ts'
export { quoted } from './quoted.ts'
export { renderTime } from './render-time.ts'
export type { Report, ReportedStep, ReportEvent } from './report.ts'
export { shellWord } from './shell-word.ts'
export { suggestionFor } from './suggestion.ts'
export { type EndSpan, type Span, type SpanFields, type Trace, TRACE_VARIABLE, traced } from './trace.ts'
export { wrapText } from './wrap-text.ts'
