import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { DavitError, type Diagnostic, ExitStatus, type Place } from '@davit/diagnostics'
import { ParameterError } from '@davit/normalization'
import type { OutputFile } from 'esbuild'
import type { ShowFile } from './show-file.ts'

export interface ScriptContext {
  /** Name of the model, as the user gave it. */
  readonly file: string
  readonly outputs: readonly OutputFile[]
  readonly showFile: ShowFile
}

/** Makes an error from a value that the user's program threw, with the innermost place in the user's files. */
export function scriptFailure(thrown: unknown, { file, outputs, showFile }: ScriptContext): DavitError {
  const place = firstPlace(thrown, outputs, showFile) ?? { file }
  return new DavitError('model-failed', `cannot evaluate '${file}'`, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: [{ severity: 'error', ...saidBy(thrown), place }],
    cause: thrown,
  })
}

function saidBy(thrown: unknown): Pick<Diagnostic, 'message' | 'hint'> {
  return thrown instanceof ParameterError
    ? { message: thrown.message, hint: thrown.problem.hint }
    : { message: messageOf(thrown) }
}

/** Errors whose names add something to their messages. */
const BUILT_IN = /^(?:Type|Range|Reference|Syntax|URI)Error$/

/** Models can throw any value, and errors with altered members. */
function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error))
    return `the model threw ${typeof thrown === 'string' ? JSON.stringify(thrown) : inspect(thrown)}`
  const { name, message } = thrown as { readonly name: unknown; readonly message: unknown }
  const text = typeof message === 'string' ? message : inspect(message)
  return typeof name === 'string' && BUILT_IN.test(name) ? `${name}: ${text}` : text
}

const MAX_STACK = 20_000

function firstPlace(thrown: unknown, outputs: readonly OutputFile[], showFile: ShowFile): Place | undefined {
  const { stack: said = '' } = (thrown instanceof Error ? thrown : {}) as { readonly stack?: unknown }
  // The frames are at the end, after a message of any length.
  const stack = String(said).slice(-MAX_STACK)
  for (const [, path, line, column] of stack.matchAll(
    /(?:file:\/\/|[ (])(\/(?!\/)[^\n():]{0,4096}\.mjs)(?:\?[^\n():]{0,4096})?:(\d+):(\d+)/g,
  )) {
    const map = outputs.find((output) => [output.path, pathToFileURL(output.path).pathname].includes(`${path}.map`))
    const place = map && originOf({ line: Number(line) - 1, column: Number(column) - 1 }, map, showFile)
    if (place !== undefined) return place
  }
  return undefined
}

interface Position {
  readonly line: number
  readonly column: number
}

/** Positions in source maps count from 0. */
function originOf({ line, column }: Position, map: OutputFile, showFile: ShowFile): Place | undefined {
  const payload = JSON.parse(map.text) as ConstructorParameters<typeof SourceMap>[0]
  const entry = new SourceMap(payload).findEntry(line, column)
  if (!('originalSource' in entry)) return undefined
  const { originalSource, originalLine, originalColumn } = entry
  const text = payload.sourcesContent[payload.sources.indexOf(originalSource)]?.split(/\r?\n/)[originalLine]
  const file = showFile(resolve(dirname(map.path), originalSource))
  return { file, line: originalLine + 1, column: originalColumn + 1, ...(text === undefined ? {} : { text }) }
}
