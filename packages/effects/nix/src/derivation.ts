import type { StorePath, System } from '@davit/documents'
import { protocolError } from './serve-errors.ts'
import { isStorePath } from './store-path.ts'

/** What the text of a derivation says of how it hangs together with others. */
export interface NixDerivation {
  readonly path: StorePath
  readonly name: string
  readonly system: System
  /** Name of the output → path. */
  readonly outputs: ReadonlyMap<string, StorePath>
  /** Other derivations, with the names of the outputs that are used. */
  readonly inputDerivations: ReadonlyMap<StorePath, readonly string[]>
  readonly inputSources: readonly StorePath[]
  /** Of its builder. */
  readonly arguments: readonly string[]
}

const START = 'Derive'

/** Strings and lists; a tuple is a list here. */
type Term = string | readonly Term[]

/** Reads a `.drv`: `Derive([outputs],[input derivations],[input sources],system,builder,[arguments],[environment])`. */
export function parseDerivation(path: StorePath, text: string): NixDerivation {
  if (!text.startsWith(START)) throw protocolError(`'${path}' is not a derivation of a kind that is known here`)
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

/** One that is only known when it has been built has no path. */
function outputIn(term: Term): readonly (readonly [string, StorePath])[] {
  const [name, path] = listOf(term)
  return path === '' ? [] : [[textOf(name), pathOf(path)]]
}

function inputIn([path, outputs]: readonly Term[]): readonly [StorePath, readonly string[]] {
  return [pathOf(path), listOf(outputs).map(textOf)]
}

/** Strings are escaped as in JSON, but for control characters; only the brackets are others. */
function parseTerm(text: string): Term {
  const json = text.replaceAll(STRING_OR_BRACKET, (token) => {
    return (
      BRACKETS.get(token) ?? token.replaceAll(CONTROL_CHARACTER, (character) => JSON.stringify(character).slice(1, -1))
    )
  })
  try {
    return JSON.parse(json) as Term
  } catch {
    throw protocolError('a derivation cannot be read')
  }
}

const STRING_OR_BRACKET = /"(?:[^"\\]|\\[^])*"|[()]/g
const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['(', '['],
  [')', ']'],
])
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u001f]/g

function listOf(term: Term | undefined): readonly Term[] {
  if (Array.isArray(term)) return term as readonly Term[]
  throw protocolError('a derivation lacks a list')
}

function textOf(term: Term | undefined): string {
  if (typeof term === 'string') return term
  throw protocolError('a derivation lacks a text')
}

function pathOf(term: Term | undefined): StorePath {
  const path = textOf(term)
  if (isStorePath(path)) return path
  throw protocolError(`a derivation names '${path}'`)
}
