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

interface Findings {
  readonly problems: Diagnostic[]
  readonly ignored: Ignored[]
}

/** Where a document is being decoded: a step of a path and those before it, since paths are only needed for findings. */
export interface Decoding {
  readonly step?: string | number
  readonly within?: Decoding
  readonly found: Findings
}

/** Begins to decode an element. */
export function decodingOf(): Decoding {
  return { found: { problems: [], ignored: [] } }
}

/** A decoding that is not that of the root. */
export interface Inside extends Decoding {
  readonly step: string | number
}

export function inside(decoding: Decoding, step: string | number): Inside {
  return { step, within: decoding, found: decoding.found }
}

function pathOf({ step, within }: Decoding): Path {
  return step === undefined || within === undefined ? [] : [...pathOf(within), step]
}

export function report(decoding: Decoding, message: string): void {
  decoding.found.problems.push(atPath(pathOf(decoding), message))
}

/** Records something with a name in an element. */
export function ignore(name: string, { offset }: Pick<XmlElement, 'offset'>, decoding: Decoding): void {
  const path = [...pathOf(decoding), name]
  decoding.found.ignored.push({ path, name, ...(offset === undefined ? {} : { offset }) })
}

/** Attributes that have a meaning on some elements. The original toolset writes types where they have none. */
export const ATTRIBUTES: ReadonlySet<string> = new Set(['name', 'type', 'version'])

/** Records the attributes that have no meaning on any element. */
export function ignoreAttributes(element: XmlElement, decoding: Decoding): void {
  for (const name of element.attributes.keys()) if (!ATTRIBUTES.has(name)) ignore(name, element, decoding)
}

/** Returns the node of an element; of one without a place, a node that tells nothing. */
export function nodeOf({ offset }: XmlElement, children?: LocatedNode['children']): LocatedNode {
  if (offset === undefined) return NOWHERE
  return { offset, ...(children === undefined ? {} : { children }) }
}

const NOWHERE: LocatedNode = { offset: 0 }

export function textOf(element: XmlElement, decoding: Decoding): string {
  const [child] = element.children
  if (child !== undefined)
    report(decoding, `expected text in ${describe(element.name)}, but it contains an element ${describe(child.name)}`)
  return element.text
}

export function expectNoText({ name, text }: XmlElement, decoding: Decoding): void {
  if (/\S/.test(text))
    report(decoding, `expected elements in ${describe(name)}, but it contains text ${describe(text.trim())}`)
}

/** The named parts of an element that is being decoded. */
export interface Members {
  readonly element: XmlElement
  readonly decoding: Decoding
  readonly data: Map<string, unknown>
  readonly nodes: Map<string | number, LocatedNode> | undefined
}

/** Makes the table of nodes for an element whose place is known. */
export function nodesOf({ offset }: XmlElement): Members['nodes'] {
  return offset === undefined ? undefined : new Map()
}

export function membersOf(element: XmlElement, decoding: Decoding): Members {
  expectNoText(element, decoding)
  return { element, decoding, data: new Map(), nodes: nodesOf(element) }
}

/** Decodes a named child; reports a name that occurs twice. */
export function addMember(
  { element, decoding, data, nodes }: Members,
  name: string,
  decode: (within: Decoding) => Decoded,
): void {
  const within = data.has(name) ? again(name, element, decoding) : inside(decoding, name)
  const decoded = decode(within)
  if (within.step === name) data.set(name, decoded.data)
  nodes?.set(within.step, decoded.node)
}

/** Reports a name that occurs twice; the repetition has a place of its own. */
export function again(name: string, element: XmlElement, decoding: Decoding): Inside {
  const within = inside(decoding, `${name} (again)`)
  report(within, `${describe(name)} occurs twice in ${describe(element.name)}`)
  return within
}

/** Puts the decoded items of an element together. */
export function listOf(element: XmlElement, items: readonly Decoded[]): Decoded {
  const data = items.map((one) => one.data)
  if (element.offset === undefined) return { data, node: NOWHERE }
  return { data, node: nodeOf(element, new Map(items.map(({ node }, index) => [index, node]))) }
}
