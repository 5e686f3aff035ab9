import { DavitError, ExitStatus } from '@davit/diagnostics'

/** Values that `ssh -G` prints. */
export interface Settings {
  readonly keywords: readonly string[]
  /** Values of a keyword, without `none`. */
  all(keyword: string): readonly string[]
  text(keyword: string, otherwise: string): string
  /** Number of a keyword; zero counts as missing. */
  number(keyword: string, otherwise: number): number
  list(keyword: string): readonly string[]
}

export function parseSettings(text: string): Settings {
  const values = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const blank = line.indexOf(' ')
    if (blank <= 0) continue
    const keyword = line.slice(0, blank)
    const value = line.slice(blank).trim()
    const before = values.get(keyword)
    if (before === undefined) values.set(keyword, [value])
    else before.push(value)
  }
  const all = (keyword: string): readonly string[] => (values.get(keyword) ?? []).filter((value) => value !== 'none')
  return {
    keywords: [...values.keys()],
    all,
    text: (keyword, otherwise) => values.get(keyword)?.[0] ?? otherwise,
    number: (keyword, otherwise) => boundedNumber(all(keyword)[0]) ?? otherwise,
    list: (keyword) => all(keyword)[0]?.split(',') ?? [],
  }
}

/** As many seconds as a timer can wait. */
const MAX_NUMBER = 2_000_000

function boundedNumber(text = ''): number | undefined {
  const number = /^\d+$/.test(text) ? Math.min(Number(text), MAX_NUMBER) : 0
  return number === 0 ? undefined : number
}

export function unsupported(address: string, what: string, hint: string): DavitError {
  return new DavitError('unsupported-ssh-option', `cannot connect to '${address}': ${what}`, {
    exitStatus: ExitStatus.unreachable,
    hint,
  })
}

export function isSame(values: readonly string[], others: readonly string[]): boolean {
  return values.length === others.length && values.every((value, index) => value === others[index])
}
