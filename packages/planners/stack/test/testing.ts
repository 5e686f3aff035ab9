import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIBRARY_DIRECTORY } from '@davit/stack-library'
import {
  chooseTarget,
  type CompileOptions,
  type CompileOutcome,
  compileStack,
  MUFILES,
  NO_WORKSPACE,
  parseArguments,
  parseWorkspace,
  type StackFiles,
  type Workspace,
} from '../src/stack.ts'

const CASES = fileURLToPath(new URL('fixtures/cases', import.meta.url))

/** A case of `fixtures/cases`, which its README describes. */
export interface StackCase {
  readonly name: string
  readonly entry: string
  readonly options: readonly string[]
  readonly expect: {
    readonly errors: readonly object[]
    readonly warnings: readonly string[]
    readonly services?: Readonly<Record<string, { readonly properties: { readonly env?: object } }>>
    readonly cloudformation?: { readonly comment: string; readonly template: object }
  }
}

/** Reads the cases, and tells the directory in which their entries are. */
export function stackCases(): { readonly directory: string; readonly cases: readonly StackCase[] } {
  const { cases } = JSON.parse(readFileSync(join(CASES, 'cases.json'), 'utf8')) as {
    readonly cases: readonly StackCase[]
  }
  return { directory: CASES, cases }
}

/** Files in memory by their absolute paths, and those of the library. */
export function filesIn(texts: Readonly<Record<string, string>>): StackFiles {
  return {
    read(path) {
      if (Object.hasOwn(texts, path)) return { kind: 'text', text: texts[path] ?? '' }
      return path.startsWith(`${LIBRARY_DIRECTORY}/`) ? onDisk.read(path) : { kind: 'absent' }
    },
    realPath: (path) => path,
    linkWithin: () => undefined,
    shown: (path) => relative('/w', path),
  }
}

/** Files of the machine. */
export const onDisk: StackFiles = {
  read: (path) => (existsSync(path) ? { kind: 'text', text: readFileSync(path, 'utf8') } : { kind: 'absent' }),
  realPath: (path) => (existsSync(path) ? realpathSync(path) : undefined),
  linkWithin: () => undefined,
  shown: (path) => basename(path),
}

export interface CompileSetup {
  readonly workspace?: Workspace
  readonly cluster?: string
  readonly target?: string
  readonly words?: readonly string[]
  readonly options?: Partial<CompileOptions>
}

/** Compiles a workspace in memory, `/w`, from its stack file. Texts are named relative to it. */
export function compileTexts(texts: Readonly<Record<string, string>>, setup: CompileSetup = {}): CompileOutcome {
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [join('/w', name), text]))
  const path = MUFILES.map((name) => join('/w', name)).find((name) => Object.hasOwn(files, name)) ?? '/w/Mu.yaml'
  const space = texts['Muspace.yaml']
  const workspace = space === undefined ? NO_WORKSPACE : parseWorkspace({ name: 'Muspace.yaml', text: space }).workspace
  return compileStack(path, optionsFor({ workspace, ...setup }, '/w', filesIn(files)))
}

/** Compiles a directory on disk; the workspace is the nearest directory with a workspace file. */
export function compileDirectory(directory: string, setup: CompileSetup = {}): CompileOutcome {
  const root = rootAbove(directory)
  const text = readFileSync(join(root, 'Muspace.yaml'), 'utf8')
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text })
  return compileStack(join(directory, 'Mu.yaml'), optionsFor({ workspace, ...setup }, root, onDisk))
}

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'Muspace.yaml')) ? directory : rootAbove(dirname(directory))
}

function optionsFor(setup: CompileSetup, root: string, files: StackFiles): CompileOptions {
  const { workspace = NO_WORKSPACE, cluster: name, target: wanted, words = [], options } = setup
  const choice = { cluster: name, target: wanted, hasInfrastructure: false, skipsCode: true }
  const { cluster, cloud, scheduler } = chooseTarget(workspace, choice)
  return {
    files,
    roots: { workspace: root, library: LIBRARY_DIRECTORY },
    workspace,
    cluster,
    target: { cloud, scheduler },
    arguments: parseArguments(words),
    skipsCode: true,
    ...options,
  }
}

/** Code and subjects of all errors, in order. */
export function errorsOf({ findings }: CompileOutcome): readonly (readonly unknown[])[] {
  return findings.filter(({ severity }) => severity === 'error').map(({ code, subjects }) => [code, ...subjects])
}

export function warningsOf({ findings }: CompileOutcome): readonly (readonly unknown[])[] {
  return findings.filter(({ severity }) => severity === 'warning').map(({ code, subjects }) => [code, ...subjects])
}

/** Texts of files by their names, relative to the workspace. */
export type Texts = Readonly<Record<string, string>>

/** Services of a stack whose services do not matter. */
export const ONE = 'services: { private: { c: { type: mu/container } } }\n'

/** A stack with a public container that listens on these ports. */
export function server(name: string, ports = '[80]', more = ''): string {
  return `name: ${name}\n${more}\nservices: { public: { main: { type: mu/container, ports: ${ports} } } }\n`
}

/** A stack that only declares properties; it is made of one container. */
export function user(name: string, properties: string): string {
  return `name: ${name}\nproperties:\n${properties}\nservices: { private: { c: { type: mu/container } } }\n`
}
