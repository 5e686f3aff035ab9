import type { StorePath, System } from '@davit/documents'
import { protocolError } from './serve-errors.ts'
import { isStorePath } from './store-path.ts'

/** A derivation, as far as its text states its inputs, outputs and system. */
export interface NixDerivation {
  readonly path: StorePath
  readonly name: string
  readonly system: System
  /** Paths by names of outputs. */
  readonly outputs: ReadonlyMap<string, StorePath>
  /** Other derivations, with the names of the outputs that are used. */
  readonly inputDerivations: ReadonlyMap<StorePath, readonly string[]>
  readonly inputSources: readonly StorePath[]
  /** Arguments of its builder. */
  readonly arguments: readonly string[]
}

const START = 'Derive'

/** Strings and lists; a tuple is a list here. */
type Term = string | readonly Term[]

/** Parses a `.drv`: `Derive([outputs],[input derivations],[input sources],system,builder,[arguments],[environment])`. */
export function parseDerivation(path: StorePath, text: string): NixDerivation {
  if (!text.startsWith(START)) throw protocolError(`'${path}' is not a derivation of a known kind`)
  const [outputs, derivations, sources, system, , builderArguments] = listOf(parseTerm(text.slice(START.length)))
  return {
    path,
    name: path.replace(/^.*\/[0-9a-z]{32}-/, '').replace(/\.drv$/, ''),
    system: textOf(system) as System,
    outputs: new Map(listOf(outputs).flatMap(outputIn)),
    inputDerivations: new Map(listOf(derivations).map((input) => inputIn(listOf(input)))),
    inputSources: listOf(sources).map(pathOf),
    arguments: listOf(builderArguments).map(textOf),
  }
}

/** Name and path of an output; nothing if the path is known only after the build. */
function outputIn(term: Term): readonly (readonly [string, StorePath])[] {
  const [name, path] = listOf(term)
  return path === '' ? [] : [[textOf(name), pathOf(path)]]
}

function inputIn([path, outputs]: readonly Term[]): readonly [StorePath, readonly string[]] {
  return [pathOf(path), listOf(outputs).map(textOf)]
}

/** Parses a term as JSON, from which only control characters in strings and the kinds of brackets differ. */
function parseTerm(text: string): Term {
  const json = text.replaceAll(STRING_OR_BRACKET, (token) => {
    return (
      BRACKETS.get(token) ?? token.replaceAll(CONTROL_CHARACTER, (character) => JSON.stringify(character).slice(1, -1))
    )
  })
  try {
    return JSON.parse(json) as Term
  } catch {
    throw protocolError('a derivation cannot be parsed')
  }
}

const STRING_OR_BRACKET = /"(?:[^"\\]|\\[^])*"?|[()]/g
const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['(', '['],
  [')', ']'],
])
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u001f]/g

function listOf(term: Term | undefined): readonly Term[] {
  if (Array.isArray(term)) return term as readonly Term[]
  throw protocolError('a derivation lacks an expected list')
}

function textOf(term: Term | undefined): string {
  if (typeof term === 'string') return term
  throw protocolError('a derivation lacks an expected string')
}

function pathOf(term: Term | undefined): StorePath {
  const path = textOf(term)
  if (isStorePath(path)) return path
  throw protocolError(`a derivation contains '${path}' instead of a store path`)
}
