import { parseSpec } from './spec.ts'

/** A reference to a stack as it is written; its parts, one after the other, are its text again, with `@` before the spec. */
export interface Reference {
  /** With its `://`. */
  readonly protocol?: string | undefined
  /** With its `/`. */
  readonly base?: string | undefined
  readonly name: string
  readonly spec?: string | undefined
}

/** A reference with defaults and pins filled in. */
export type FullReference = Readonly<Record<keyof Reference, string>>

export const DEFAULT_PROTOCOL = 'https://'
export const DEFAULT_BASE = 'hub.mu.com/'

/** Parses `[proto://][base/]name[@spec]`; undefined if it is no reference. */
export function parseReference(text: string): Reference | undefined {
  const [protocol, located] = cutAfter(text, '://')
  const at = located.includes('@') ? located.indexOf('@') : Infinity
  const spec = at === Infinity ? undefined : located.slice(at + 1)
  const path = located.slice(0, at)
  const [base, name] = path.includes('.') ? cutAfter(path, '/') : [undefined, path]
  const isWhole = isName(name) && protocol !== '://' && (spec === undefined || parseSpec(spec) !== undefined)
  return isWhole ? { protocol, base, name, spec } : undefined
}

/** Returns what is before and with a mark, and what is after it. */
function cutAfter(text: string, mark: string): readonly [string | undefined, string] {
  const index = text.indexOf(mark)
  if (index === -1) return [undefined, text]
  return [text.slice(0, index + mark.length), text.slice(index + mark.length)]
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*(?:\/[A-Za-z_][A-Za-z0-9_]*)*$/

/** Whether a text is a name: identifiers joined by `/`. */
export function isName(text: string): boolean {
  return NAME.test(text)
}

export function simpleName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** Returns the text of a reference with all four parts: `https://hub.mu.com/acme/db@latest`. */
export function canonical(reference: FullReference): string {
  return `${withoutSpec(reference)}@${reference.spec}`
}

/** Returns the same without the spec: what two references have in common that differ in the spec alone. */
export function withoutSpec({ protocol, base, name }: FullReference): string {
  return `${protocol}${base}${name}`
}

/** Whoever has the same base and name is the same stack, in whatever version. */
export function baseAndName({ base, name }: Pick<FullReference, 'base' | 'name'>): string {
  return `${base}${name}`
}
