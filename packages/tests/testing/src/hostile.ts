import * as fc from 'fast-check'

const AWKWARD = [
  '\0',
  '\u001b[2J',
  '\ufeff',
  '\ud800',
  '\ufffd',
  '\r\n',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '<',
  '>',
  '</',
  '/>',
  '&',
  '&#0;',
  '&#xD800;',
  ']]>',
  '<!--',
  '<![CDATA[',
  '<!DOCTYPE a>',
  '<?',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '- ',
  '? ',
  '*a',
  '&a ',
  '<<: ',
  '!!x ',
  '%',
  '#',
  '|',
  '@',
  '\\u',
  '1e999',
  '9007199254740993',
  '-0',
  '1.0',
  'null',
  'NaN',
  '__proto__',
  'constructor',
  '../',
  '$(touch x)',
  'x'.repeat(300),
]

const piece = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)

/** Text made of pieces that parsers stumble over. */
export const awkwardText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

type Change = readonly [kind: string, at: number, length: number, inserted: string]

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom('cut', 'end', 'double', 'insert', 'replace', 'flip', 'move'),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 })),
  piece,
)

/** One of the texts, changed in a few places: cut, cut off, doubled, inserted into, replaced, flipped, moved. */
export function mutationsOf(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([text, changes]) => changes.reduce(applyChange, text))
}

function applyChange(text: string, [kind, where, length, inserted]: Change): string {
  const at = Math.floor(where * text.length)
  const [before, part, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)]
  switch (kind) {
    case 'cut':
      return before + after
    case 'end':
      return before
    case 'double':
      return before + part + part + after
    case 'insert':
      return before + inserted + part + after
    case 'replace':
      return before + inserted + after
    case 'move':
      return part + before + after
    default:
      return before + String.fromCharCode(part.charCodeAt(0) ^ (1 << (length % 8))) + part.slice(1) + after
  }
}
