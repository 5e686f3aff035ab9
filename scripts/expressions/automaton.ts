import type { AST } from '@eslint-community/regexpp'
import { CharSet } from 'refa'
import { toUnicodeSet } from 'regexp-ast-analysis'

/** A node of an automaton: it consumes a character of a set, or leads on without one. */
export interface Node {
  readonly set?: CharSet
  /** Where it leads; an assertion may refuse that. */
  readonly next: { to: number; asserts: boolean }[]
}

export interface Automaton {
  readonly nodes: readonly Node[]
  readonly start: number
  readonly accept: number
}

/** What no automaton shows: these are refused as they stand. */
export class Unknown extends Error {}

/** Repetitions up to this number are written out a few times; more count as endless. */
const FEW = 4_096
const COPIES = 3

/** Returns the automaton of an expression. One that may match anywhere begins with a loop over all characters. */
export function automatonOf(pattern: AST.Pattern, flags: AST.Flags): Automaton {
  const builder = new Builder(flags)
  const accept = builder.add()
  const start = builder.add()
  const rest: { entry: number; anchor: Anchor }[] = pattern.alternatives.map((alternative) => ({
    entry: builder.alternative(alternative, accept),
    anchor: flags.sticky ? 'text' : anchorOf(alternative, flags),
  }))
  for (const { entry } of rest) builder.lead(start, entry)
  const anywhere = rest.filter(({ anchor }) => anchor !== 'text')
  if (anywhere.length > 0) {
    const search = builder.add()
    builder.lead(builder.from(search, CharSet.all(MAXIMUM)), search)
    builder.lead(start, search)
    for (const { entry, anchor } of anywhere) {
      builder.lead(anchor instanceof CharSet ? builder.from(search, anchor) : search, entry)
    }
  }
  return { nodes: builder.nodes, start, accept }
}

const MAXIMUM = 0x10ffff
const LINE_BREAKS = CharSet.fromCharacters(MAXIMUM, [0x0a, 0x0d, 0x2028, 0x2029])

/** Where an alternative may begin: at the beginning of the text, there or behind a character of a set, or anywhere. */
type Anchor = 'text' | CharSet | 'anywhere'

function anchorOf({ elements: [first] }: AST.Alternative, flags: AST.Flags): Anchor {
  if (first?.type !== 'Assertion') return 'anywhere'
  if (first.kind === 'start') return flags.multiline ? LINE_BREAKS : 'text'
  return first.kind === 'lookbehind' && first.negate ? behind(first, flags) : 'anywhere'
}

/** A look behind for one character has those before it that are not refused. */
function behind({ alternatives }: AST.LookbehindAssertion, flags: AST.Flags): Anchor {
  const character = onlyElementOf(alternatives)
  if (character === undefined || !isCharacter(character)) return 'anywhere'
  return toUnicodeSet(character, flags).chars.negate()
}

function onlyElementOf([alternative, ...others]: readonly AST.Alternative[]): AST.Element | undefined {
  const [element, ...more] = alternative?.elements ?? []
  return others.length + more.length > 0 ? undefined : element
}

function isCharacter(element: AST.Element): element is AST.Character | AST.CharacterSet | AST.CharacterClass {
  return element.type === 'Character' || element.type === 'CharacterSet' || element.type === 'CharacterClass'
}

/** Builds from the end: whatever is added gets to know what follows it. */
class Builder {
  readonly nodes: Node[] = []
  readonly #flags: AST.Flags

  constructor(flags: AST.Flags) {
    this.#flags = flags
  }

  add(set?: CharSet): number {
    this.nodes.push(set === undefined ? { next: [] } : { set, next: [] })
    return this.nodes.length - 1
  }

  lead(from: number, to: number, asserts = false): void {
    this.nodes[from]?.next.push({ to, asserts })
  }

  /** Adds a node that consumes a character behind another node. */
  from(node: number, set: CharSet): number {
    const consuming = this.add(set)
    this.lead(node, consuming)
    return consuming
  }

  alternative({ elements }: AST.Alternative, next: number): number {
    return elements.reduceRight((behind, element) => this.element(element, behind), next)
  }

  #alternatives(alternatives: readonly AST.Alternative[], next: number): number {
    const node = this.add()
    for (const alternative of alternatives) this.lead(node, this.alternative(alternative, next))
    return node
  }

  element(element: AST.Element, next: number): number {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#alternatives(element.alternatives, next)
      case 'Quantifier':
        return this.#quantifier(element, next)
      case 'Assertion':
        return this.#assertion(element, next)
      case 'Backreference':
        throw new Unknown('a reference to a group')
      default:
        return this.#consuming(toUnicodeSet(element, this.#flags).chars, next)
    }
  }

  #consuming(set: CharSet, next: number): number {
    const node = this.add(set)
    this.lead(node, next)
    return node
  }

  #quantifier({ element, min, max }: AST.Quantifier, next: number): number {
    let behind = next
    if (max > FEW) {
      behind = this.add()
      this.lead(behind, this.element(element, behind))
      this.lead(behind, next)
    } else {
      for (let optional = Math.min(max - min, COPIES); optional > 0; optional -= 1) {
        const choice = this.add()
        this.lead(choice, this.element(element, behind))
        this.lead(choice, next)
        behind = choice
      }
    }
    for (let needed = Math.min(min, COPIES); needed > 0; needed -= 1) behind = this.element(element, behind)
    return behind
  }

  /** What stands in a look ahead is tried, and what follows begins where it began. */
  #assertion(assertion: AST.Assertion, next: number): number {
    const node = this.add()
    this.lead(node, next, true)
    if (assertion.kind === 'lookahead') this.lead(node, this.#alternatives(assertion.alternatives, this.add()))
    if (assertion.kind === 'lookbehind' && /[*+]|,\}/.test(assertion.raw))
      throw new Unknown('a look behind without end')
    return node
  }
}
