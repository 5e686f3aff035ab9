import { access, constants, readdir, readlink, stat } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'

/** Where to look for tools. */
export interface SearchPlace {
  /** Path through which davit was called. */
  readonly executable: string
  readonly environment: Readonly<Record<string, string>>
}

/** Finds the path of `davit-NAME`: next to davit, else on PATH. */
export async function findTool(name: string, place: SearchPlace): Promise<string | undefined> {
  if (!TOOL_NAME.test(name)) return undefined
  for (const directory of await searchedDirectories(place)) {
    const path = join(directory, `davit-${name}`)
    if (await isProgram(path)) return path
  }
  return undefined
}

/** Finds all tools; returns paths by name, without `davit-`. */
export async function findTools(place: SearchPlace): Promise<ReadonlyMap<string, string>> {
  const tools = new Map<string, string>()
  for (const directory of await searchedDirectories(place)) {
    for (const file of await readdir(directory).catch(() => [])) {
      const name = file.startsWith('davit-') ? file.slice('davit-'.length) : ''
      const path = join(directory, file)
      if (TOOL_NAME.test(name) && !tools.has(name) && (await isProgram(path))) tools.set(name, path)
    }
  }
  return tools
}

const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** Directories to search: that of davit as called, those of the links on the way to davit itself, and PATH. */
async function searchedDirectories({ executable, environment }: SearchPlace): Promise<readonly string[]> {
  const links = await linkChain(executable)
  const path = (environment.PATH ?? '').split(delimiter).filter((directory) => directory.startsWith('/'))
  return [...new Set([...links.map((link) => dirname(link)), ...path])]
}

async function linkChain(path: string): Promise<readonly string[]> {
  const next = await readlink(path).catch(() => undefined)
  return next === undefined ? [path] : [path, ...(await linkChain(resolve(dirname(path), next)))]
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
