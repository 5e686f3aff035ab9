/** Shorter texts occur everywhere. */
const MIN_CHARACTERS = 4
const REDACTED = '[secret]'

/** Values that are replaced; longer ones first, as one may be a part of another. */
export function hiddenOf(values: ReadonlySet<string>): readonly string[] {
  return [...values]
    .filter((value) => value.length >= MIN_CHARACTERS)
    .toSorted((left, right) => right.length - left.length)
}

export function redacted(text: string, values: readonly string[]): string {
  return values.reduce((shown, value) => shown.replaceAll(value, () => REDACTED), text)
}

interface Cut {
  readonly values: readonly string[]
  /** The text begins anywhere if it has so many bytes. */
  readonly limit: number
}

/** Replaces the end of a value where a text was cut off, and the beginning of one where it stops. */
export function withoutParts(text: string, { values, limit }: Cut): string {
  const stopped = withoutBeginning(text, values)
  return Buffer.byteLength(text) < limit ? stopped : withoutEnd(stopped, values)
}

function withoutBeginning(text: string, values: readonly string[]): string {
  const length = longestPart(values, (value, size) => text.endsWith(value.slice(0, size)))
  return length < MIN_CHARACTERS ? text : `${text.slice(0, -length)}${REDACTED}`
}

function withoutEnd(text: string, values: readonly string[]): string {
  // The first character may have been cut as well.
  const whole = text.replace(/^\uFFFD+/, '')
  const length = longestPart(values, (value, size) => whole.startsWith(value.slice(-size)))
  return length === 0 ? text : `${REDACTED}${whole.slice(length)}`
}

/** The length of the longest part of a value that fits; 0 if none does. */
function longestPart(values: readonly string[], fits: (value: string, size: number) => boolean): number {
  return values.reduce((best, value) => {
    for (let size = value.length; size > best; size -= 1) if (fits(value, size)) return size
    return best
  }, 0)
}
