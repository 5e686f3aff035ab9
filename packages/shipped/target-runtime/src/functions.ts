import { readdirSync, readFileSync } from 'node:fs'

import { verbCases } from './verbs.ts'

/** A function of `runtime/`, or what one of its files does besides defining functions, which is to set variables. */
class Definition {
  readonly file: string
  readonly #source: string
  #text: string | undefined
  /** Names of what its text names, once somebody has asked for them. */
  needs: readonly string[] | undefined

  constructor(file: string, source: string) {
    this.file = file
    this.#source = source
  }

  get text(): string {
    return (this.#text ??= shortened(this.#source))
  }
}

interface Runtime {
  /** By name; what a file does besides has the name of the file, with a dot. */
  readonly definitions: ReadonlyMap<string, Definition>
  /** By name of a variable: the name of what sets it. */
  readonly variables: ReadonlyMap<string, string>
}

const DIRECTORY = new URL('../runtime/', import.meta.url)
/** What every script begins with. */
const COMMON = '.common'
/** A program of its own. */
const PROGRAM = 'client-module.sh'

let runtime: Runtime | undefined
/** The table of verbs with which it was read; tests add rows to it. */
let cases: string | undefined

/**
 * Returns the names of everything that functions need, directly or not: each function whose name is a word of their texts, and what sets
 * the variables that they use. So the name of a function must stand somewhere as a whole. Files for which `isLeftOut` count as absent.
 */
export function neededBy(
  roots: readonly string[],
  isLeftOut: (file: string) => boolean = () => false,
): readonly string[] {
  if (cases !== verbCases()) runtime = undefined
  const needed = new Set([COMMON, ...roots])
  for (const name of needed) {
    const definition = definitionOf(name)
    definition.needs ??= namesIn(definition.text)
    for (const other of definition.needs) if (!isLeftOut(definitionOf(other).file)) needed.add(other)
  }
  return [...needed]
}

/** Text of the functions with these names, without comments and indentation. */
export function textOf(names: readonly string[]): string {
  return names.map((name) => definitionOf(name).text).join('')
}

function definitionOf(name: string): Definition {
  const definition = (runtime ??= readRuntime()).definitions.get(name)
  if (definition === undefined) throw new RangeError(`the runtime has no function '${name}'`)
  return definition
}

function namesIn(text: string): readonly string[] {
  const { definitions, variables } = (runtime ??= readRuntime())
  const words = new Set(Array.from(text.matchAll(WORD), ([word]) => word))
  const names = Array.from(words, (word) => (word.startsWith('$') ? variables.get(word.replace(/^\W+/, '')) : word))
  return names.filter((name) => name !== undefined && definitions.has(name)) as string[]
}

/** A variable, or what can be the name of a function; not what is assigned, or part of a path. */
const WORD = /(?<![\w/.])(?:\$\{?)?[a-z_]+(?![\w=/(-])/g

function readRuntime(): Runtime {
  cases = verbCases()
  const definitions = new Map<string, Definition>()
  const variables = new Map<string, string>()
  for (const name of readdirSync(DIRECTORY).filter((other) => other !== PROGRAM)) {
    const file = name.slice(0, -'.sh'.length)
    const { functions, rest } = splitFile(sourceOf(file))
    for (const [called, text] of functions) definitions.set(called, new Definition(file, text))
    definitions.set(`.${file}`, new Definition(file, rest))
    for (const [, variable = ''] of rest.matchAll(/^(\w+)=/gm)) variables.set(variable, `.${file}`)
  }
  return { definitions, variables }
}

/** Text of a file of `runtime/`. Before that for states stands the table of verbs. */
export function sourceOf(file: string): string {
  const text = readFileSync(new URL(`${file}.sh`, DIRECTORY), 'utf8')
  return file === 'state' ? `${verbCases()}${text}` : text
}

function splitFile(text: string): { readonly functions: ReadonlyMap<string, string>; readonly rest: string } {
  const functions = new Map<string, string>()
  let rest = ''
  let end = 0
  for (const { index, 0: line, 1: name = '', 2: open = '' } of text.matchAll(BEGINNING)) {
    rest += text.slice(end, index)
    end = text.indexOf(CLOSING[open] ?? '', index + line.length - 1) + CLOSED
    functions.set(name, text.slice(index, end))
  }
  return { functions, rest: rest + text.slice(end) }
}

/** A function ends with the first brace, or parenthesis, that stands alone in a line without indentation. */
const BEGINNING = /^([a-z_]+)\(\) ([{(])\n/gm
const CLOSING: Readonly<Record<string, string>> = { '{': '\n}\n', '(': '\n)\n' }
const CLOSED = 3

/** Leaves out comments, empty lines and indentation. */
export function shortened(text: string): string {
  return text.replaceAll(/^[ \t]*(?:#.*)?\n|^[ \t]+/gm, '')
}
