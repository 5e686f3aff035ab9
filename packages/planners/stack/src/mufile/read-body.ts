import { suggestionFor } from '@davit/diagnostics'
import type { Written } from '@davit/languages'
import { keyOf } from '../finding.ts'
import type { StackFile } from '../resolution/stack-file.ts'
import { type StackValue, valueOf } from '../values/stack-value.ts'
import type { Body, NestedDeclaration, ServiceDeclaration, TextAt } from './body.ts'
import { checkNumbers } from './check-numbers.ts'
import { type Reader, readProperties, readSchemas } from './read-declarations.ts'
import { isNothing, type ReportAt, type Shapes, shapesFor } from './shapes.ts'

const TEXTS = ['name', 'version', 'description', 'author', 'website', 'license']
/** Carried to the compiled stack as they are. */
const CARRIED = ['keywords', 'api', 'apis', 'security']
const KEYS = [
  ...TEXTS,
  ...CARRIED,
  'base',
  'abstract',
  'intrinsic',
  'properties',
  'schema',
  'types',
  'stacks',
  'services',
]

/** Reads what a stack file states: first all shapes, then the types of schemas and of properties. */
export function readBody(root: Written, file: StackFile, report: ReportAt): Body {
  const reader: Reader = { shapes: shapesFor('MU151', report), report, schemaTypes: [], propertyTypes: [] }
  const inner: (() => void)[] = []
  const body = readStack(root, { reader, inner, file, id: file.path, key: undefined })
  for (const parse of [...reader.schemaTypes, ...reader.propertyTypes, ...inner]) parse()
  return body
}

interface Around {
  readonly reader: Reader
  /** What is left to do for nested stacks, after their file's own types. */
  readonly inner: (() => void)[]
  readonly file: StackFile
  readonly id: string
  /** Key of a nested stack. */
  readonly key: TextAt | undefined
}

function readStack(root: Written, around: Around): Body {
  const { reader, file, id, key } = around
  const { shapes } = reader
  const members = new Map(shapes.table(root, 'a stack'))
  for (const [name, written] of members) if (!KEYS.includes(name)) shapes.unknown(name, written, KEYS)
  const texts = new Map<string, TextAt>()
  const text = (name: string) => {
    const at = textAt(members.get(name), `'${name}'`, shapes)
    if (at !== undefined) texts.set(name, at)
    return at
  }
  const schemasIn = (section: string) => {
    return inSections(members.get(section), { what: section, reader }, (isPublic, entries) =>
      readSchemas(entries, { isPublic, reader }),
    )
  }
  // In the order of their keys, and so are problems.
  const isAbstract = shapes.truth(members.get('abstract'), "'abstract'")
  text('author')
  const base = text('base')
  text('description')
  const isIntrinsic = shapes.truth(members.get('intrinsic'), "'intrinsic'")
  text('license')
  const name = text('name') ?? key
  const properties = readProperties(members.get('properties'), reader)
  const schema = schemasIn('schema')
  const services = readServices(members.get('services'), reader)
  const nested = readNested(members.get('stacks'), around)
  const types = schemasIn('types')
  const version = text('version')
  text('website')
  const metadata = metadataIn(members, texts)
  const stated = { metadata, properties, schemas: [...schema, ...types], nested, services, isAbstract, isIntrinsic }
  return { id, file, spot: root, name, version, base, ...stated }
}

function textAt(written: Written | undefined, what: string, shapes: Shapes): TextAt | undefined {
  const text = shapes.text(written, what)
  return text === undefined || written === undefined ? undefined : { text, spot: written }
}

function metadataIn(
  members: ReadonlyMap<string, Written>,
  texts: ReadonlyMap<string, TextAt>,
): ReadonlyMap<string, StackValue> {
  const stated = TEXTS.flatMap((name): [string, StackValue][] => {
    const at = texts.get(name)
    return at === undefined ? [] : [[name, at.text]]
  })
  const carried = CARRIED.flatMap((name): [string, StackValue][] => {
    const written = members.get(name)
    return isNothing(written) ? [] : [[name, valueOf(written)]]
  })
  return new Map([...stated, ...carried])
}

interface Sections {
  readonly what: string
  readonly reader: Reader
}

type Entries = readonly (readonly [string, Written])[]

/** Reads the entries under `private`, and then those under `public`. */
function inSections<Read>(
  written: Written | undefined,
  { what, reader: { shapes, report } }: Sections,
  read: (isPublic: boolean, entries: Entries) => readonly Read[],
): readonly Read[] {
  const members = new Map(shapes.table(written, `'${what}'`))
  const known = ['private', 'public']
  for (const [key, value] of members) {
    if (known.includes(key)) continue
    const hint = suggestionFor(key, known) ?? `everything in '${what}' is below 'private' or 'public' in it`
    report('MU104', [key], { spot: keyOf(value), hint })
  }
  return known.flatMap((name) => read(name === 'public', shapes.table(members.get(name), `'${name}'`)))
}

function readNested(written: Written | undefined, around: Around): ReadonlyMap<string, NestedDeclaration> {
  const { reader } = around
  const nested = inSections(written, { what: 'stacks', reader }, (isPublic, entries) => {
    if (!isPublic) return entries.map(([name, value]) => readNestedStack(name, value, around))
    for (const [name, value] of entries) reader.report('MU604', [name], { spot: keyOf(value) })
    return []
  })
  return new Map(nested.map((one) => [one.name, one]))
}

function readNestedStack(name: string, written: Written, around: Around): NestedDeclaration {
  const { reader, file, id, inner } = around
  const key = { text: name, spot: keyOf(written) }
  if (written.kind === 'table' && written.members.has('type')) {
    const { type, args } = readInstance(name, written, reader)
    return { kind: 'preset', name, type: type ?? { text: '', spot: key.spot }, args }
  }
  const own: Reader = { ...reader, schemaTypes: [], propertyTypes: [] }
  const after: (() => void)[] = []
  const body = readStack(written, { reader: own, inner: after, file, id: `${id}#${name}`, key })
  inner.push(() => {
    for (const parse of [...own.schemaTypes, ...own.propertyTypes, ...after]) parse()
  })
  return { kind: 'body', name, body }
}

function readServices(written: Written | undefined, reader: Reader): readonly ServiceDeclaration[] {
  return inSections(written, { what: 'services', reader }, (isPublic, entries) =>
    entries.map(([key, value]) => ({ key, isPublic, ...readInstance(key, value, reader), spot: keyOf(value) })),
  )
}

/** Reads a service or a preset: `type` is taken out, and all else are arguments. */
function readInstance(name: string, written: Written, { shapes }: Reader): Pick<ServiceDeclaration, 'type' | 'args'> {
  const isWord = written.kind === 'scalar' && typeof written.value === 'string'
  const hint = isWord ? `write { type: ${written.text} }` : undefined
  const members = new Map(shapes.table(written, `'${name}'`, hint))
  const type = members.get('type')
  members.delete('type')
  for (const [, value] of members) checkNumbers(value, shapes)
  if (type === undefined) return { type, args: members }
  if (type.kind === 'scalar' && typeof type.value === 'string')
    return { type: { text: type.text, spot: type }, args: members }
  shapes.wrong(type, `the type of '${name}' must be text`)
  return { type: undefined, args: members }
}
