import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** What a program gets instead of the global objects and modules of Node that belong to a process. */
export interface ProgramSurroundings {
  /** Global object by name. */
  readonly globals: Readonly<Record<string, unknown>>
  /** Loads a module of Node. */
  require(specifier: string): unknown
}

/** Returns the path of a program of an installation without its extension; nothing if it has no such program. */
export function programOf(prefix: string, name: string): string | undefined {
  const path = join(prefix, 'lib/davit/programs', name)
  return existsSync(`${path}.js`) ? path : undefined
}

/** Runs a program of an installation in this process as its launcher does, with variables of its own in all modules. */
export function runProgram(path: string, { globals, require }: ProgramSurroundings): void {
  const directory = dirname(path)
  const modules = new Map<string, { readonly exports: unknown }>()
  const names = Object.keys(globals)
  const requirePart = (specifier: string): unknown =>
    specifier.startsWith('./part-') ? load(join(directory, specifier)) : require(specifier)
  const load = (file: string): unknown => {
    const known = modules.get(file)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(file, module)
    const start = partOf(file, names)(...Object.values(globals))
    start(module.exports, requirePart, module, file, directory)
    return module.exports
  }
  load(`${path}.js`)
}

type Part = (...globals: readonly unknown[]) => (...module: readonly unknown[]) => void

/** Parts that this process has compiled, by file; programs share them, but not what they are evaluated to. */
const compiled = new Map<string, Part>()

function partOf(file: string, names: readonly string[]): Part {
  const known = compiled.get(file)
  if (known !== undefined) return known
  const text = `(${names.join(', ')}) => ${readFileSync(file, 'latin1')}`
  const part = new Script(text, { filename: file }).runInThisContext() as Part
  compiled.set(file, part)
  return part
}
