export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | '|'
  | ':='
  | '('
  | ')'
  | 'string'
  | 'character'
  | 'number'
  | 'boolean'
  | 'nil'
  | 'dot'
  | 'field'
  | 'variable'
  | 'name'
  | 'keyword'
  /** A character that means something only in a few places, such as a comma. */
  | 'other'
  | 'end'
  /** What is wrong is the text; nothing follows. */
  | 'error'

/** A piece of a template. `text` is what it means: strings without quotes and escapes, fields without their dot. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Offset at which it begins. */
  readonly at: number
  readonly end: number
}
