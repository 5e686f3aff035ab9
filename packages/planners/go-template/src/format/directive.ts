/** How a verb of `printf` is to be written. */
export interface Directive {
  readonly verb: string
  readonly plus: boolean
  readonly minus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  readonly width: number | undefined
  readonly precision: number | undefined
}

export const PLAIN: Directive = {
  verb: 'v',
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
}

/** Pads to the width of a directive, counted in characters. */
export function padded(text: string, { width = 0, minus, zero }: Directive): string {
  if (text.length >= width * 2) return text
  const missing = Math.max(0, width - Array.from(text).length)
  if (minus) return text + ' '.repeat(missing)
  return (zero ? '0' : ' ').repeat(missing) + text
}

/** Pads a number: zeros come behind its sign. */
export function paddedNumber(text: string, directive: Directive): string {
  const { zero, minus, width = 0 } = directive
  if (!zero || minus || !/^[-+ ]/.test(text)) return padded(text, directive)
  return text.slice(0, 1) + text.slice(1).padStart(width - 1, '0')
}
