import type { Diagnostic } from '@davit/diagnostics'
import { type Document, parseDocument } from 'yaml'
import { MAX_YAML_LENGTH, MAX_YAML_PARTS } from '../text/limits.ts'
import { type Data, located, type SourceText } from '../text/located.ts'
import { type Branch, tableOf, type Tree } from '../text/tree.ts'
import { nameOfCharacter, NOT_XML } from '../xml/xml-element.ts'
import { buildYaml } from './build-yaml.ts'
import { findAliased } from './find-aliased.ts'
import { findYamlProblem } from './find-yaml-problem.ts'
import { type Piece, piecesOf } from './pieces-of.ts'

/** Reads one YAML 1.2 document with the core schema. A key that is a number or truth value becomes its text. */
export function readYamlTree(source: SourceText): Tree {
  const { root, problems } = readYamlBranch(source, false)
  const { value, ...places } = located(root?.data ?? null, root?.node ?? { offset: 0 }, source)
  return { ...places, ...(root === undefined || problems.length > 0 ? {} : { content: { data: value } }), problems }
}

/** Reads the same with the offsets of all values; scalars keep their text on request. */
export function readYamlBranch(source: SourceText, keepsText: boolean): Pick<Reading, 'root' | 'problems'> {
  const excess = excessOfYaml(source.text)
  if (excess !== undefined) return { problems: [problemOf(source, excess)] }
  const strange = NOT_XML.exec(source.text)
  if (strange !== null) {
    const message = `character ${nameOfCharacter(strange[0])} cannot occur in YAML`
    return { problems: [{ severity: 'error', message, place: source.placeAt(strange.index) }] }
  }
  return readInPieces(source, keepsText) ?? readPiece(source, { start: 0, end: source.text.length, keepsText })
}

interface Reading {
  /** Undefined if the syntax is wrong. */
  readonly root?: Branch
  readonly problems: readonly Diagnostic[]
  readonly hasAliases: boolean
}

/**
 * Reads a long text piece by piece, since what the parser makes of a text takes far more memory than the text. Returns undefined
 * if there is anything that can only be judged with the whole text.
 */
function readInPieces(source: SourceText, keepsText: boolean): Reading | undefined {
  const members = new Map<string, Branch>()
  let offset: number | undefined
  for (const piece of piecesOf(source.text) ?? []) {
    const table = tableIn(readPiece(source, { ...piece, keepsText }))
    if (table === undefined) return undefined
    for (const [key, branch] of table.members) {
      if (members.has(key)) return undefined
      members.set(key, branch)
    }
    offset ??= table.offset
  }
  return offset === undefined ? undefined : { root: tableOf(members, { offset }), problems: [], hasAliases: false }
}

/** Returns the members of a table that can be judged without the text around it. */
function tableIn({ root, problems, hasAliases }: Reading) {
  if (problems.length > 0 || hasAliases || !(root?.data instanceof Map)) return undefined
  const { data, node } = root
  const members = [...(data as ReadonlyMap<string, Data>)].map(([key, value]): [string, Branch] => {
    return [key, { data: value, node: node.children?.get(key) ?? node }]
  })
  return { members, offset: node.offset }
}

function readPiece(source: SourceText, { start, end, keepsText }: Piece & { readonly keepsText: boolean }): Reading {
  const document = compose(source.text.slice(start, end))
  if (document === undefined) return { problems: [problemOf(source, 'nested too deeply')], hasAliases: false }
  const syntax = findYamlProblem(document, source)
  if (syntax !== undefined) return { problems: [syntax], hasAliases: false }
  const problems: Diagnostic[] = []
  const root = buildYaml(document, { source, start, problems, keepsText })
  return { root, problems, hasAliases: findAliased(document).size > 0 }
}

function problemOf({ file }: SourceText, message: string): Diagnostic {
  return { severity: 'error', message, place: { file } }
}

/** Says in what a text exceeds the limits: such a large text was made by a program, which can write JSON. */
export function excessOfYaml(text: string): string | undefined {
  if (text.length > MAX_YAML_LENGTH) return `too large for YAML: more than ${MAX_YAML_LENGTH} characters`
  let parts = 0
  for (let index = 0; index < text.length && parts <= MAX_YAML_PARTS; index += 1) {
    if (PART.includes(text.charAt(index))) parts += 1
  }
  return parts > MAX_YAML_PARTS ? `too large for YAML: more than ${MAX_YAML_PARTS} lines and values` : undefined
}

const PART = '\n,[{'

/** Returns undefined when the text nests too deeply for the parser. */
function compose(text: string): Document | undefined {
  try {
    return parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
