import { compareText, Float, parseNumber, type Written } from '@davit/languages'
import { suggestionFor } from '@davit/diagnostics'
import type { Compilation } from '../compilation.ts'
import type { Instance } from '../instances/instance.ts'
import type { PropertyDeclaration } from '../mufile/body.ts'
import { isNothing } from '../mufile/shapes.ts'
import { keyOf, type Spot } from '../finding.ts'
import type { Effective } from '../resolution/effective.ts'
import { compareWith } from '../types/constraints.ts'
import { typeOf } from '../types/resolve-type.ts'
import { rootOf, type StackType, type Type } from '../types/type.ts'
import { howToGive, howToWrite, whatCanBeGiven } from './argument-hints.ts'
import type { BoundValue } from './bound-value.ts'
import { resolveCapability } from './resolve-capability.ts'
import { kindOf, plainOf, valueOf } from './stack-value.ts'

/** Where a value comes from. */
export interface Source {
  readonly c: Compilation
  /** The stack in which the value was written; undefined for the command line. */
  readonly writer: Instance | undefined
  /** The instance whose property it is, which writes defaults. */
  readonly owner: Instance
}

/** The bound value, unless it is absent or wrong. */
export interface Checked {
  readonly value?: BoundValue
  /** Whether the value has the wrong type, which whatever is around it then has too. */
  readonly isMismatch?: true
  /** Whether it names a property of the writer that has no value. */
  readonly isAbsent?: true
}

const ABSENT: Checked = { isAbsent: true }
const WRONG: Checked = {}
const MISMATCH: Checked = { isMismatch: true }

/** Checks a value against a type, and reports what is wrong with it. */
export function checkValue(type: Type, written: Written, source: Source): Checked {
  switch (type.kind) {
    case 'unknown':
      return WRONG
    case 'primitive':
      if (type.name === 'any') return { value: valueOf(written) }
      if (type.name === 'service') return checkCapability(type, written, source)
      return kindOf(written) === type.name ? { value: valueOf(written) } : mismatch(wantedFor(type), written, source)
    case 'stack':
      return checkCapability(type, written, source)
    case 'list':
      return written.kind === 'list'
        ? checkList(type, written.items, { written, source })
        : mismatch(wantedFor(type), written, source)
    case 'map':
      return written.kind === 'table'
        ? checkMap(type, written.members, { written, source })
        : mismatch(wantedFor(type), written, source)
    case 'schema':
      return checkSchema(type, written, source)
  }
}

interface Wanted {
  /** What messages call the type. */
  readonly name: string
  /** What its values are in the end. */
  readonly root: string
}

function wantedFor(type: Type): Wanted {
  return { name: type.name, root: rootOf(type) }
}

function mismatch({ name, root }: Wanted, written: Written, { c, writer }: Source): Checked {
  const hint = writer === undefined ? howToWrite(root) : undefined
  c.report('MU508', [name, kindOf(written)], { spot: written, hint })
  return MISMATCH
}

function checkCapability(type: Type | StackType, written: Written, source: Source): Checked {
  if (written.kind !== 'scalar' || typeof written.value !== 'string') return mismatch(wantedFor(type), written, source)
  const { c, writer } = source
  const stack = type.kind === 'stack' ? type : undefined
  const resolution = resolveCapability(c, written.value, { writer, stack })
  switch (resolution.kind) {
    case 'capability': {
      const { kind, service, chosen, port } = resolution
      return { value: { kind, service, chosen, port, spot: written } }
    }
    case 'absent':
      return ABSENT
    case 'wrong':
      return WRONG
    case 'circular':
      c.report('MU509', [resolution.name], { spot: written })
      return WRONG
    case 'refused': {
      const { code, subjects } = resolution.refusal
      c.report(code, subjects, { spot: written, hint: resolution.hint })
      return code === 'MU508' ? MISMATCH : WRONG
    }
  }
}

interface Whole {
  readonly written: Written
  readonly source: Source
}

function checkList(type: Type & { kind: 'list' }, items: readonly Written[], { written, source }: Whole): Checked {
  const checked = items.map((item) => checkValue(type.element, item, source))
  if (checked.some(({ isMismatch }) => isMismatch)) return mismatch(wantedFor(type), written, source)
  return { value: checked.flatMap(({ value }) => (value === undefined ? [] : [value])) }
}

type Members = ReadonlyMap<string, Written>

function checkMap(type: Type & { kind: 'map' }, members: Members, { written, source }: Whole): Checked {
  let isMismatch = false
  const values = new Map<string, BoundValue>()
  for (const [key, member] of inOrder(members)) {
    const isKey = type.key.name === 'string' || type.key.name === kindOfKey(key)
    if (!isKey) source.c.report('MU508', [type.key.name, kindOfKey(key)], { spot: keyOf(member) })
    const checked = checkValue(type.value, member, source)
    isMismatch ||= !isKey || checked.isMismatch === true
    if (checked.value !== undefined) values.set(key, checked.value)
  }
  return isMismatch ? mismatch(wantedFor(type), written, source) : { value: values }
}

/** Keys are what their text is. All of them are text as well. */
function kindOfKey(key: string): 'string' | 'number' | 'bool' {
  if (key === 'true' || key === 'false') return 'bool'
  return typeof parseNumber(key) === 'number' || parseNumber(key) instanceof Float ? 'number' : 'string'
}

function inOrder(members: Members): readonly (readonly [string, Written])[] {
  return [...members].toSorted(([left], [right]) => compareText(left, right))
}

function checkSchema(type: Type & { kind: 'schema' }, written: Written, source: Source): Checked {
  const { base, declaration } = type.schema
  const checked =
    base === undefined ? checkObject(type, written, source) : checkBase(base, { name: type.name, written, source })
  if (checked.value === undefined) return checked
  const value = valueOf(written)
  for (const constraint of declaration.constraints) {
    const { isMet, got } = compareWith(constraint, value, source.c.patterns)
    if (!isMet) source.c.report('MU517', [constraint.kind, plainOf(constraint.wanted), plainOf(got)], { spot: written })
  }
  return checked
}

interface Named extends Whole {
  readonly name: string
}

/** Checks what a schema is based on; messages call it by the schema's name. */
function checkBase(base: Type, { name, written, source }: Named): Checked {
  const root = rootOf(base)
  const kind = written.kind === 'table' ? 'object' : kindOf(written)
  const isKind = root === 'any' || kind === (root === 'service' ? 'string' : root)
  return isKind ? checkValue(base, written, source) : mismatch({ name, root }, written, source)
}

function checkObject({ name, schema }: Type & { kind: 'schema' }, written: Written, source: Source): Checked {
  if (written.kind !== 'table') return mismatch({ name, root: 'object' }, written, source)
  const { home, declaration } = schema
  const declarations = declaration.properties ?? new Map<string, PropertyDeclaration>()
  const values = checkBag({ home, declarations, members: written.members, spot: keyOf(written) }, source)
  return { value: values }
}

/** Values by the names of their declarations. */
export interface BagToCheck {
  readonly home: Effective
  readonly declarations: ReadonlyMap<string, PropertyDeclaration>
  readonly members: Members
  /** Where missing values are reported. */
  readonly spot: Spot
}

/** Checks declared names first, then reports unknown ones. */
export function checkBag(bag: BagToCheck, source: Source): Map<string, BoundValue> {
  const { declarations, members } = bag
  const values = new Map<string, BoundValue>()
  for (const [name, declaration] of declarations) {
    const given = members.get(name)
    const value = checkProperty(declaration, given, { bag, source })
    if (value !== undefined) values.set(name, value)
  }
  for (const [name, written] of inOrder(members)) {
    if (declarations.has(name)) continue
    source.c.report('MU507', [name], {
      spot: keyOf(written),
      hint: suggestionFor(name, declarations.keys()) ?? propertiesOf(bag, source),
    })
  }
  return values
}

function propertiesOf(bag: BagToCheck, source: Source): string | undefined {
  return isOfRoot(bag, source) ? whatCanBeGiven([...bag.declarations.keys()]) : undefined
}

/** Whether it is the bag of the command line. */
function isOfRoot({ home }: BagToCheck, { writer, owner }: Source): boolean {
  return writer === undefined && home === owner.effective
}

interface InBag {
  readonly bag: BagToCheck
  readonly source: Source
}

function checkProperty(
  declaration: PropertyDeclaration,
  given: Written | undefined,
  { bag, source }: InBag,
): BoundValue | undefined {
  const { name, isOptional, type, typeSpot } = declaration
  if (type === undefined) return undefined
  const known = typeOf(source.c, { effective: bag.home, spot: typeSpot }, type)
  const checked = isNothing(given) ? ABSENT : checkValue(known, given, source)
  if (!checked.isAbsent) return checked.value
  if (declaration.default !== undefined) {
    return checkValue(known, declaration.default, { ...source, writer: source.owner }).value
  }
  if (!isOptional)
    source.c.report('MU506', [name], {
      spot: given ?? bag.spot,
      hint: isOfRoot(bag, source) ? howToGive(name, rootOf(known)) : undefined,
    })
  return undefined
}
