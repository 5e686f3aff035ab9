import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Tool } from '../packages/toolkit/tool/src/tool.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** An executable that the field `executables` of a package.json declares, for `./dev`, bundles, manual and installation. */
export interface Executable {
  /** `davit-lock` */
  readonly name: string
  /** Absolute path of its package. */
  readonly directory: string
  /** Absolute path of the program. */
  readonly entry: string
}

/** Returns the executables of the given packages, or of all, sorted by name. */
export function executables(directories: readonly string[] = packageDirectories()): readonly Executable[] {
  return directories
    .flatMap((directory) =>
      Object.entries(readManifest(directory).executables ?? {}).map(([name, entry]) => ({
        name,
        directory,
        entry: join(directory, entry),
      })),
    )
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

/** Imports the definition of a tool: `tool`, or an element of `tools`, in `src/main.ts` of its package. */
export async function toolOf({ name, directory }: Executable): Promise<Tool> {
  const address = pathToFileURL(join(directory, 'src/main.ts')).href
  const { tool, tools = [tool] } = (await import(address)) as { readonly tool?: Tool; readonly tools?: readonly Tool[] }
  const found = tools.find((candidate) => candidate?.name === name)
  if (found === undefined) throw new Error(`src/main.ts of '${directory}' exports no tool '${name}'`)
  return found
}

export interface PackageManifest {
  readonly name: string
  readonly floor?: number
  readonly executables?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

export function readManifest(directory: string): PackageManifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as PackageManifest
}

/** Returns the directories of all packages: `packages/FLOOR/NAME`, and `packages/examples`. */
export function packageDirectories(root = ROOT): readonly string[] {
  const floors = readdirSync(join(root, 'packages')).map((floor) => join(root, 'packages', floor))
  const packages = floors.flatMap((floor) => readdirSync(floor).map((name) => join(floor, name)))
  return [...packages, join(root, 'packages/examples')]
    .filter((path) => existsSync(join(path, 'package.json')))
    .toSorted()
}
