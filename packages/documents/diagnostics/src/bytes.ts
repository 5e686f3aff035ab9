const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ...['k', 'M', 'G', 'T'].flatMap((letter, index): (readonly [string, number])[] => [
    [`${letter}B`, 1000 ** (index + 1)],
    [`${letter.toUpperCase()}iB`, 1024 ** (index + 1)],
  ]),
])

/** Parses a size such as `500 MB`, `1.5GiB` or `4096`; undefined for any other text. */
export function parseBytes(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,9}(?= ?[kKMGT]))?) ?([a-zA-Z]{0,3})$/.exec(text.trim()) ?? []
  const factor = UNITS.get(unit)
  const bytes = factor === undefined || number === '' ? 0 : Math.round(Number(number) * factor)
  return bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER ? bytes : undefined
}

/** Formats a size for people, in the largest unit that keeps at least two digits or is exact. */
export function renderBytes(bytes: number): string {
  const unit = ['GB', 'MB', 'kB'].find((name) => {
    const factor = UNITS.get(name) ?? 1
    return bytes >= 10 * factor || (bytes >= factor && bytes % factor === 0)
  })
  return unit === undefined ? `${bytes} B` : `${Math.round(bytes / (UNITS.get(unit) ?? 1))} ${unit}`
}
