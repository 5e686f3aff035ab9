import type { Report } from '@davit/diagnostics'
import { type LogEntry, parseLogEntry, type RawFrame } from './log-entry.ts'
import { say } from './messages.ts'
import { plainText } from './plain-text.ts'

/** What Nix wrote to standard error. */
export interface EvaluationLog {
  readonly error?: EvaluationFailure
  /** Texts of `builtins.trace`. */
  readonly traces: readonly string[]
  readonly warnings: readonly string[]
  /** Lines that are not log entries. */
  readonly others: readonly string[]
}

export interface EvaluationFailure extends Frame {
  /** Message with all that Nix adds. */
  readonly text: string
  /** Innermost first. */
  readonly trace: readonly Frame[]
}

export interface Frame {
  readonly message: string
  readonly file?: string
  readonly line?: number
  /** In bytes, from 1. */
  readonly column?: number
}

/** Parses the log of `--log-format internal-json`. */
export function parseLog(stderr: string): EvaluationLog {
  const lines = stderr.split('\n').map((line) => parseLogEntry(line) ?? line)
  const messages = lines.filter((line) => typeof line !== 'string').filter(isMessage)
  const errors = messages.filter((message) => message.raw_msg !== undefined).map(failureOf)
  const texts = messages.filter((message) => message.raw_msg === undefined).map(({ msg }) => plainText(msg ?? ''))
  const others = lines
    .filter((line) => typeof line === 'string')
    .filter(Boolean)
    .map(plainText)
  const error = errors.at(-1)
  return {
    traces: withPrefix('trace: ', texts),
    warnings: withPrefix('warning: ', texts),
    others: [...texts.filter((text) => !/^(?:trace|warning): /.test(text)), ...others],
    ...(error === undefined ? {} : { error }),
  }
}

export function reportLog({ traces, warnings }: EvaluationLog, report: Report | undefined): void {
  for (const text of warnings) report?.(say('nix-warning', { text }))
  for (const text of traces) report?.(say('nix-trace', { text }))
}

function isMessage({ action, level }: LogEntry): boolean {
  return action === 'msg' && level === ERROR_LEVEL
}

const ERROR_LEVEL = 0

function withPrefix(prefix: string, texts: readonly string[]): string[] {
  return texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length))
}

function failureOf(message: LogEntry): EvaluationFailure {
  return { ...frameOf(message), text: plainText(message.msg ?? ''), trace: (message.trace ?? []).map(frameOf) }
}

function frameOf({ raw_msg, file, line, column }: RawFrame): Frame {
  const message = plainText(raw_msg ?? '')
  if (typeof file !== 'string') return { message }
  return { message, file, line: line ?? 1, column: column ?? 1 }
}
