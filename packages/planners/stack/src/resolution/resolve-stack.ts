import { suggestionFor } from '@davit/diagnostics'
import { LIBRARY_STACKS } from '@davit/stack-library'
import type { Compilation, FirstSpec } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { NestedDeclaration, TextAt } from '../mufile/body.ts'
import { completed } from '../references/pins.ts'
import { canonical, type FullReference, parseReference, type Reference, withoutSpec } from '../references/reference.ts'
import { PRIMITIVE_WORDS } from '../types/type-expression.ts'
import { type Effective, holderOf, mergeBags, schemaHolderOf, type StackTarget } from './effective.ts'
import { findStack, requireStack } from './find-stack.ts'
import type { Bag } from './read-stack.ts'

/** A word for a stack, in the stack in which it is written. */
export interface StackWord {
  readonly effective: Effective
  readonly reference: Reference
  readonly spot: Spot
  /** The stack of which it may be a schema. */
  readonly owner?: FullReference | undefined
  /** Says what may have been meant, if there is no such stack. */
  readonly hint?: string | undefined
}

/** Finds what a word for a stack leads to: a nested stack, or a file. Reports why there is nothing. */
export function resolveStack(c: Compilation, word: StackWord): StackTarget | undefined {
  const nested = followNested(c, word)
  if (nested.kind === 'wrong') return undefined
  if (nested.kind === 'body') return nested
  const target = resolveFile(c, nested.word)
  return target && { ...target, presets: nested.presets }
}

/** Whether a word can be the name of a schema or of a nested stack. */
export function plainWord({ protocol, base, name, spec }: Reference): string | undefined {
  return protocol === undefined && base === undefined && spec === undefined ? name : undefined
}

export type Followed =
  | { readonly kind: 'file'; readonly word: StackWord; readonly presets: Bag }
  | (StackTarget & { readonly kind: 'body' })
  | { readonly kind: 'wrong' }

/** Follows nested stacks that are others with presets; the outer ones win. */
export function followNested(c: Compilation, start: StackWord): Followed {
  const path: NestedDeclaration[] = []
  let word = start
  let presets: Bag = c.noArguments
  for (;;) {
    const { holder, nested } = nestedOf(word)
    if (holder === undefined || nested === undefined) return { kind: 'file', word, presets }
    if (nested.kind === 'body') return { kind: 'body', body: nested.body, outer: holder, presets }
    if (path.includes(nested)) return reportLoop(c, path.slice(path.indexOf(nested)), start.spot)
    path.push(nested)
    const reference = referenceOf(c, nested.type)
    if (reference === undefined) return { kind: 'wrong' }
    presets = mergeBags(nested.args, presets)
    word = { effective: holder, reference, spot: nested.type.spot }
  }
}

function nestedOf({ reference, effective }: StackWord) {
  const name = plainWord(reference)
  const holder = name === undefined ? undefined : holderOf(effective, name)
  return { holder, nested: name === undefined ? undefined : holder?.nested.get(name) }
}

function referenceOf(c: Compilation, { text, spot }: TextAt): Reference | undefined {
  const reference = parseReference(text)
  if (reference === undefined) c.report('MU156', [text], { spot })
  return reference
}

function reportLoop(c: Compilation, loop: readonly NestedDeclaration[], spot: Spot): Followed {
  c.report('MU601', loop.map(({ name }) => name).toSorted(), { spot })
  return { kind: 'wrong' }
}

/** Finds the file of a reference, and reports once in each stack that there is none. */
export function resolveFile(
  c: Compilation,
  word: StackWord,
): Omit<StackTarget & { kind: 'file' }, 'presets'> | undefined {
  const { effective, reference, spot, owner } = word
  const full = completed(reference, c.options.workspace.pins)
  const isNew = enterReference(c, word, full)
  const { kind } = findStack(c, full)
  if (!isNew && kind !== 'found') return undefined
  const name = plainWord(reference)
  if (kind === 'absent' && name !== undefined && schemaHolderOf(effective, name) !== undefined) {
    c.report('MU515', [name], { spot })
    return undefined
  }
  const suggested = () => word.hint ?? suggestionFor(reference.name, candidatesFor(c, effective))
  const hint = kind === 'absent' ? suggested() : undefined
  const found = requireStack(c, full, { spot, hint, owner })
  return found && { kind: 'file', found }
}

/** Names that may have been meant: what is around the word, what others have found, what davit ships, and primitive types. */
function* candidatesFor(c: Compilation, effective: Effective): Generator<string> {
  for (let around: Effective | undefined = effective; around !== undefined; around = around.outer) {
    yield* around.schemas.keys()
    yield* around.nested.keys()
  }
  for (const result of c.found.values()) if (result.kind === 'found') yield result.stack.reference.name
  yield* LIBRARY_STACKS
  yield* PRIMITIVE_WORDS
}

/** Returns whether the stack did not have the reference yet. */
export function enterReference(c: Compilation, word: StackWord, reference: FullReference): boolean {
  enterSpec(c, word, reference)
  const { references } = word.effective
  const key = canonical(reference)
  const isNew = !references.has(key)
  references.add(key)
  return isNew
}

/** Notes a second spec for a stack in a file as it was expanded, its nested stacks included. */
function enterSpec({ specs }: Compilation, { effective, spot }: StackWord, reference: FullReference): void {
  const inFile = specs.get(spot.source) ?? new Map<string, FirstSpec>()
  specs.set(spot.source, inFile)
  const key = withoutSpec(reference)
  const first = inFile.get(key) ?? { spec: reference.spec, isTold: false }
  inFile.set(key, first)
  if (first.spec !== reference.spec) effective.conflicts.push({ name: reference.name, spot, first })
}
