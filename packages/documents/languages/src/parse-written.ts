import { readJsonBranch } from './json/read-json-tree.ts'
import type { ParseDataOptions } from './parse-data.ts'
import { openSource } from './text/invalid-document.ts'
import { MAX_MODEL_DEPTH, MAX_YAML_LENGTH } from './text/limits.ts'
import type { SourceText } from './text/located.ts'
import { type FilledText, type ReadText, refill, withWords } from './text/refill.ts'
import { type Placing, type WrittenReading, writtenOf } from './text/written.ts'
import { readYamlBranch } from './yaml/read-yaml-tree.ts'

export interface ParseWrittenOptions extends ParseDataOptions {
  /** Finds the places of offsets, if the text was made from another one. */
  readonly placing?: Placing
}

/** Parses YAML or JSON to values that keep their text and their places. An empty text is null. */
export function parseWritten(text: string, options: ParseWrittenOptions): WrittenReading {
  const source = sourceOf(text, options)
  if (!/\S/.test(source.text)) return { kind: 'read', root: writtenOf(null, { offset: 0 }, source) }
  const { root, problems } =
    options.language === 'yaml'
      ? readYamlBranch(source, true)
      : readJsonBranch(source, { maxDepth: MAX_MODEL_DEPTH, scalars: 'with-text' })
  if (root === undefined || problems.length > 0) return { kind: 'invalid', problems }
  return { kind: 'read', root: writtenOf(root.data, root.node, source) }
}

function sourceOf(text: string, { file, placing }: ParseWrittenOptions): SourceText {
  const opened = openSource(text, { file })
  return placing === undefined ? opened : { ...opened, placeAt: (offset: number) => placing.placeAt(offset) }
}

/**
 * Returns a function that parses texts as parseWritten does. Those that differ only in words between quotes, as expansions of one
 * template mostly do, are parsed once.
 */
export function filledParser(options: ParseDataOptions): (filled: FilledText, placing: Placing) => WrittenReading {
  const forms = new Map<string, ReadText>()
  return (filled, placing) => {
    const { text, slots } = withWords(filled)
    const form = formOf({ text, slots })
    const known = forms.get(form)
    const source = sourceOf(text, { ...options, placing })
    const root = known && text.length <= MAX_YAML_LENGTH ? refill(known, { text, slots }, source) : undefined
    if (root !== undefined) return { kind: 'read', root }
    const reading = parseWritten(text, { ...options, placing })
    if (reading.kind === 'read') forms.set(form, { text, slots, root: reading.root })
    return reading
  }
}

/** Returns a text without what is in its slots, and how many these are. */
function formOf({ text, slots }: FilledText): string {
  const ends = [0, ...slots.map(({ end }) => end)]
  return [slots.length, ...ends.map((from, index) => text.slice(from, slots[index]?.start))].join('\0')
}
