import { atPath, type Diagnostic, type Path } from '@davit/diagnostics'
import { describe, type LocatedNode, type XmlElement } from '@davit/languages'

export interface Decoded {
  readonly data: unknown
  readonly node: LocatedNode
}

/** An element or attribute that is ignored because the spelling does not have it. */
export interface Ignored {
  readonly path: Path
  readonly name: string
  /** Of the element, if places are known. */
  readonly offset?: number
}

/** Path that is being decoded, and what was found so far. */
export interface Decoding {
  readonly path: Path
  readonly problems: Diagnostic[]
  readonly ignored: Ignored[]
}

export interface ChildDecoding extends Decoding {
  decode(child: XmlElement, decoding: Decoding): Decoded
}

export function inside(decoding: Decoding, step: string | number): Decoding {
  return { path: [...decoding.path, step], problems: decoding.problems, ignored: decoding.ignored }
}

/** Begins to decode an element. */
export function decodingOf(): Decoding {
  return { path: [], problems: [], ignored: [] }
}

/** Records the children that were not chosen. */
export function ignoreOthers(
  { children }: XmlElement,
  chosen: readonly XmlElement[],
  { path, ignored }: Decoding,
): void {
  if (chosen.length === children.length) return
  const known = new Set(chosen)
  for (const { name, offset } of children.filter((child) => !known.has(child)))
    ignored.push({ path: [...path, name], name, ...(offset === undefined ? {} : { offset }) })
}

/** Attributes that have a meaning on some elements. The original toolset writes types where they have none. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['name', 'type', 'version'])

/** Records the attributes that have no meaning on any element. */
export function ignoreAttributes({ attributes, offset }: XmlElement, { path, ignored }: Decoding): void {
  for (const name of attributes.keys()) {
    if (!ATTRIBUTES.has(name))
      ignored.push({ path: [...path, name], name, ...(offset === undefined ? {} : { offset }) })
  }
}

export function report({ path, problems }: Decoding, message: string): void {
  problems.push(atPath(path, message))
}

export function nodeOf({ offset = 0 }: XmlElement): LocatedNode {
  return { offset }
}

export function textOf(element: XmlElement, decoding: Decoding): string {
  const [child] = element.children
  if (child !== undefined)
    report(decoding, `expected text in ${describe(element.name)}, but it contains an element ${describe(child.name)}`)
  return element.text
}

export function expectNoText({ name, text }: XmlElement, decoding: Decoding): void {
  if (text.trim() !== '')
    report(decoding, `expected elements in ${describe(name)}, but it contains text ${describe(text.trim())}`)
}

/** Decodes named children into a Map; ignores those without a name, and reports names that occur twice. */
export function decodeMembers(
  element: XmlElement,
  members: readonly (readonly [string | undefined, XmlElement])[],
  decoding: ChildDecoding,
): Decoded & { readonly data: ReadonlyMap<string, unknown> } {
  const data = new Map<string, unknown>()
  const children = new Map<string, LocatedNode>()
  for (const [name, child] of members) {
    if (name === undefined) continue
    // The repetition has a place of its own.
    const step = data.has(name) ? `${name} (again)` : name
    const within = inside(decoding, step)
    if (data.has(name)) report(within, `${describe(name)} occurs twice in ${describe(element.name)}`)
    const decoded = decoding.decode(child, within)
    if (!data.has(name)) data.set(name, decoded.data)
    children.set(step, decoded.node)
  }
  return { data, node: { ...nodeOf(element), children } }
}

export function decodeItems(element: XmlElement, items: readonly XmlElement[], decoding: ChildDecoding): Decoded {
  const decoded = items.map((item, index) => decoding.decode(item, inside(decoding, index)))
  const children = new Map(decoded.map(({ node }, index) => [index, node]))
  return { data: decoded.map(({ data }) => data), node: { ...nodeOf(element), children } }
}
