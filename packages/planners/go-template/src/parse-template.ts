import { FUNCTIONS } from './functions/functions.ts'
import type { ParsedTemplate } from './syntax/nodes.ts'
import { parseText } from './syntax/parse-text.ts'
import type { TemplateFile } from './template-file.ts'

/** Parses a template. Throws a `TemplateError`. */
export function parseTemplate(file: TemplateFile): ParsedTemplate {
  return parseText(file, FUNCTIONS)
}
