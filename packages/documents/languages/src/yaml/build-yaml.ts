import type { Diagnostic } from '@davit/diagnostics'
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { describe } from '../text/describe.ts'
import { MAX_ALIASED_VALUES, MAX_MODEL_DEPTH } from '../text/limits.ts'
import type { Data, LocatedNode, SourceText } from '../text/located.ts'
import { asWritten } from '../text/as-written.ts'
import { type Branch, listOf, tableOf } from '../text/tree.ts'
import { findAliased } from './find-aliased.ts'

export interface YamlText {
  readonly source: SourceText
  /** Where in the source the text of the document begins. */
  readonly start: number
  readonly problems: Diagnostic[]
  /** Whether scalars keep their text; then keys are the text they are written as, and numbers need not be exact. */
  readonly keepsText: boolean
}

/** Builds the value of a YAML document; follows aliases and merge keys. */
export function buildYaml(document: Document, text: YamlText): Branch {
  const targets = findAliased(document)
  const context = { ...text, targets, budget: { values: MAX_ALIASED_VALUES }, depth: 0, aliased: false }
  return build(document.contents, context, { offset: text.start })
}

interface Context extends YamlText {
  readonly targets: ReadonlyMap<Alias, Node>
  /** How many more values aliases may expand to (a few lines can expand to billions); at zero nothing more is built. */
  readonly budget: { values: number }
  readonly depth: number
  /** Whether the node was reached through an alias, which then is the place of everything below it. */
  readonly aliased: boolean
}

type Content = Scalar | YAMLMap | YAMLSeq

/** Builds a value; `at` is its place if the text has none for it. */
function build(node: unknown, context: Context, at: LocatedNode): Branch {
  if (isAlias(node)) return buildAlias(node, context, at)
  if (!isContent(node)) return { data: null, node: at }
  const here = context.aliased ? at : { ...at, offset: startOf(node, context) }
  if (!isAllowed(node, context, here)) return { data: null, node: here }
  if (isScalar(node)) return buildScalar(node, context, here)
  const inner = { ...context, depth: context.depth + 1 }
  if (isMap(node)) return buildTable(node, inner, here)
  return listOf(
    node.items.map((item) => build(item, inner, { offset: here.offset })),
    here,
  )
}

function isContent(node: unknown): node is Content {
  return isScalar(node) || isMap(node) || isSeq(node)
}

function startOf(node: Node, { start }: Context): number {
  return start + (node.range?.[0] ?? 0)
}

function refuse(offset: number, { source, problems }: Context, message: string): void {
  problems.push({ severity: 'error', message, place: source.placeAt(offset) })
}

function isAllowed(node: Content, context: Context, { offset }: LocatedNode): boolean {
  const { budget, aliased } = context
  if (budget.values === 0) return false
  if (aliased) budget.values -= 1
  const excess = excessOf(node, context)
  if (excess !== undefined) budget.values = 0
  const problem = excess ?? tagProblem(node)
  if (problem !== undefined) refuse(offset, context, problem)
  return problem === undefined
}

function excessOf(node: Content, { budget, depth, aliased }: Context): string | undefined {
  if (budget.values === 0) return `aliases expand to more than ${MAX_ALIASED_VALUES} values`
  if (depth < MAX_MODEL_DEPTH || isScalar(node)) return undefined
  return `nested more than ${MAX_MODEL_DEPTH} levels deep${aliased ? ', or contains itself' : ''}`
}

const TAGS: ReadonlySet<string> = new Set(['tag:yaml.org,2002:str', 'tag:yaml.org,2002:map', 'tag:yaml.org,2002:seq'])

function tagProblem({ tag }: Content): string | undefined {
  return tag === undefined || TAGS.has(tag) ? undefined : `the tag ${describe(tag)} is not supported`
}

function buildAlias(alias: Alias, context: Context, at: LocatedNode): Branch {
  const target = context.targets.get(alias)
  const here = context.aliased ? at : { ...at, offset: startOf(alias, context) }
  if (target !== undefined) return build(target, { ...context, aliased: true }, here)
  refuse(here.offset, context, `no anchor ${describe(`&${alias.source}`)} before this alias`)
  return { data: null, node: here }
}

function buildScalar(node: Scalar, context: Context, here: LocatedNode): Branch {
  const { keepsText } = context
  const { value, source = '' } = node
  if (typeof value === 'string') return { data: value, node: here }
  if (!keepsText) return asWritten(value as null | boolean | number, source, here)
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(here.offset, context, `${source} is out of range`)
  return { data: value as Data, node: { ...here, written: source } }
}

function buildTable(map: YAMLMap, context: Context, at: LocatedNode): Branch {
  const members = new Map<string, Branch>()
  const merged: Branch[] = []
  for (const { key, value } of map.items) {
    const offset = isNode(key) && !context.aliased ? startOf(key, context) : at.offset
    const branch = build(value, context, { offset, keyOffset: offset })
    const name = nameOf(key)
    if (isMergeKey(key)) merged.push(...tablesIn(branch))
    else if (name === undefined || members.has(name)) refuse(offset, context, keyProblem(name))
    else members.set(name, branch)
  }
  for (const branch of merged) mergeInto(members, branch)
  return tableOf(members, at)
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN'
}

function nameOf(key: unknown): string | undefined {
  if (!isScalar(key) || (key.value === null && !key.source)) return undefined
  return typeof key.value === 'string' ? key.value : key.source
}

function keyProblem(name: string | undefined): string {
  return name === undefined ? 'expected text as a key' : `key ${describe(name)} occurs twice`
}

/** Returns the tables that `<<` merges: one, or a list where earlier ones win. */
function tablesIn({ data, node }: Branch): Branch[] {
  if (data instanceof Map) return [{ data, node }]
  if (!Array.isArray(data)) return []
  return data.flatMap((item: Data, index) => tablesIn({ data: item, node: node.children?.get(index) ?? node }))
}

function mergeInto(members: Map<string, Branch>, { data, node }: Branch): void {
  for (const [key, value] of data as ReadonlyMap<string, Data>) {
    if (!members.has(key)) members.set(key, { data: value, node: node.children?.get(key) ?? node })
  }
}
