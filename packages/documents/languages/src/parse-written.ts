import { readJsonBranch } from './json/read-json-tree.ts'
import type { ParseDataOptions } from './parse-data.ts'
import { openSource } from './text/invalid-document.ts'
import { MAX_MODEL_DEPTH } from './text/limits.ts'
import { type Placing, type WrittenReading, writtenOf } from './text/written.ts'
import { readYamlBranch } from './yaml/read-yaml-tree.ts'

export interface ParseWrittenOptions extends ParseDataOptions {
  /** Finds the places of offsets, if the text was made from another one. */
  readonly placing?: Placing
}

/** Parses YAML or JSON to values that keep their text and their places. An empty text is null. */
export function parseWritten(text: string, { file, language, placing }: ParseWrittenOptions): WrittenReading {
  const opened = openSource(text, { file })
  const source = placing === undefined ? opened : { ...opened, placeAt: (offset: number) => placing.placeAt(offset) }
  if (!/\S/.test(source.text)) return { kind: 'read', root: writtenOf(null, { offset: 0 }, source) }
  const { root, problems } =
    language === 'yaml'
      ? readYamlBranch(source, true)
      : readJsonBranch(source, { maxDepth: MAX_MODEL_DEPTH, keepsText: true })
  if (root === undefined || problems.length > 0) return { kind: 'invalid', problems }
  return { kind: 'read', root: writtenOf(root.data, root.node, source) }
}
