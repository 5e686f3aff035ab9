import { readFileSync } from 'node:fs'
import {
  ActionFailure,
  expandTemplate,
  type Expansion,
  type ParsedTemplate,
  parseTemplate,
  TemplateError,
  type TemplateValue,
} from '../src/go-template.ts'

/** Turns what JSON.parse returns into what templates compute with. */
export function valueOf(json: unknown): TemplateValue {
  if (Array.isArray(json)) return json.map(valueOf)
  if (typeof json !== 'object' || json === null) return json as TemplateValue
  return new Map(Object.entries(json).map(([key, value]) => [key, valueOf(value)]))
}

/** Templates without functions of our own: each with what Go makes of it, or null where it fails. */
export const STANDARD = JSON.parse(readFileSync(new URL('fixtures/standard.json', import.meta.url), 'utf8')) as {
  readonly context: unknown
  readonly cases: readonly (readonly [template: string, output: string | null])[]
}

/** Files that a template may include. */
export type Files = Readonly<Record<string, string>>

/** Expands a template in the context of the standard cases, or another one. */
export function expanded(text: string, options: { context?: TemplateValue; files?: Files } = {}): Expansion {
  const { context = valueOf(STANDARD.context), files = {} } = options
  const parsed = new Map<string, ParsedTemplate>()
  const include = (_: unknown, path: string): ParsedTemplate => {
    if (!Object.hasOwn(files, path)) throw new ActionFailure(`there is no file '${path}'`, 'look for it')
    const file = parsed.get(path) ?? parseTemplate({ name: path, text: files[path]! })
    parsed.set(path, file)
    return file
  }
  return expandTemplate(parseTemplate({ name: 'Mu.yaml', text }), context, { include })
}

/** Returns the failure of a template: its file and offset, and what it says. */
export function failure(text: string, options: { context?: TemplateValue; files?: Files } = {}): string {
  try {
    expanded(text, options)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const hint = error.hint === undefined ? '' : ` (${error.hint})`
    return `${error.place.file.name}:${error.place.offset}: ${error.message}${hint}`
  }
  throw new Error(`'${text}' did not fail`)
}
