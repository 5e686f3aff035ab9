import { invalidDocument, openSource, type ParseOptions } from './text/invalid-document.ts'
import { readJsonTree } from './json/read-json-tree.ts'
import { MAX_MODEL_DEPTH } from './text/limits.ts'
import type { Located } from './text/located.ts'
import { readYamlTree } from './yaml/read-yaml-tree.ts'

export interface ParseDataOptions extends ParseOptions {
  readonly language: 'yaml' | 'json'
}

/**
 * Parses YAML or JSON that a person wrote. A number that davit would write otherwise is the text as it is written. Throws `invalid-document` with the first syntax error, or with all invalid values.
 */
export function parseData(text: string, { file, language }: ParseDataOptions): Located {
  const source = openSource(text, { file })
  const { content, problems, ...places } =
    language === 'yaml' ? readYamlTree(source) : readJsonTree(source, MAX_MODEL_DEPTH, 'as-written')
  if (content !== undefined && problems.length === 0) return { ...places, value: content.data }
  throw invalidDocument(`'${file}' is not valid ${language === 'yaml' ? 'YAML' : 'JSON'}`, problems)
}
