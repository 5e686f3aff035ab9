import semver from 'semver'

type Operator = '=' | '>' | '>=' | '<' | '<=' | '!='

interface Comparator {
  readonly operator: Operator
  readonly version: string
}

/** Which versions a reference accepts. */
export type Spec =
  | { readonly kind: 'latest' }
  | { readonly kind: 'hash'; readonly hash: string }
  /** One of the alternatives, with all of its comparators. */
  | { readonly kind: 'range'; readonly alternatives: readonly (readonly Comparator[])[] }

const NUMBER = '(?:0|[1-9]\\d*)'
const PRE = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`
const FULL = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRE}(?:\\.${PRE})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)
const HASH = /^(?:[0-9a-fA-F]{7}|[0-9a-fA-F]{40})$/

/** Whether a text is `1.2.3`, perhaps with a pre-release and build metadata. */
export function isSemanticVersion(text: string): boolean {
  return text.length <= MAX_LENGTH && FULL.test(text) && semver.parse(text) !== null
}

/** As long as the library reads. */
const MAX_LENGTH = 256

/** Whether a text can be the version of a stack: a semantic version, or a commit. */
export function isVersion(text: string): boolean {
  return HASH.test(text) || isSemanticVersion(text)
}

/** Orders semantic versions by precedence. */
export function compareVersions(left: string, right: string): number {
  return semver.compare(left, right)
}

/** Parses the part of a reference after `@`; undefined if it is wrong. */
export function parseSpec(text: string): Spec | undefined {
  if (text === 'latest') return { kind: 'latest' }
  if (HASH.test(text)) return { kind: 'hash', hash: text.toLowerCase() }
  const alternatives = text.split('||').map(comparatorsIn)
  return alternatives.some((one) => one === undefined)
    ? undefined
    : { kind: 'range', alternatives: alternatives.filter((one) => one !== undefined) }
}

function comparatorsIn(text: string): readonly Comparator[] | undefined {
  const parts = text
    .replace(/^ +|(?<! ) +$/g, '')
    .split(/ +/)
    .map(parsePart)
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? [])
}

const PART = /^(\^|~|==?|>=?|<=?|!=?)?([^]*)$/

function parsePart(text: string): readonly Comparator[] | undefined {
  const [, operator = '=', version = ''] = PART.exec(text) ?? []
  if (!isSemanticVersion(version)) return undefined
  if (operator === '^' || operator === '~') {
    return [
      { operator: '>=', version },
      { operator: '<', version: `${boundOf(operator, version)}-0` },
    ]
  }
  return [{ operator: OPERATORS[operator] ?? '=', version }]
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
  '!': '!=',
  '!=': '!=',
}

/** Returns the first version that `^` or `~` does not accept any more, as npm has it. */
function boundOf(operator: '^' | '~', version: string): string {
  const { major, minor, patch } = semver.parse(version) ?? { major: 0, minor: 0, patch: 0 }
  if (operator === '~') return `${major}.${minor + 1}.0`
  if (major > 0) return `${major + 1}.0.0`
  return minor > 0 ? `0.${minor + 1}.0` : `0.0.${patch + 1}`
}

/** What is known of a stack that was found. */
export interface FoundVersion {
  /** As the file states it. */
  readonly version?: string | undefined
  /** Commit from which the stack was fetched. */
  readonly commit?: string | undefined
}

/** Whether a stack is what a reference asks for. One that states no version serves all. */
export function satisfies(spec: Spec, { version, commit }: FoundVersion): boolean {
  if (spec.kind === 'latest') return true
  if (spec.kind === 'hash') {
    return (
      version === undefined || isSameHash(spec.hash, version) || (commit !== undefined && isSameHash(spec.hash, commit))
    )
  }
  if (version === undefined) return true
  return isSemanticVersion(version) && spec.alternatives.some((all) => all.every((one) => accepts(one, version)))
}

/** Compares commits, of which either may be shortened to 7 digits; the left one is in small letters. */
function isSameHash(left: string, right: string): boolean {
  if (!HASH.test(right)) return false
  const length = Math.min(left.length, right.length)
  return left.slice(0, length) === right.slice(0, length).toLowerCase()
}

function accepts({ operator, version }: Comparator, found: string): boolean {
  const order = semver.compare(found, version)
  return HOLDS[operator](order)
}

const HOLDS: Readonly<Record<Operator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '!=': (order) => order !== 0,
}
