import { existsSync, lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { systemErrorCode } from '@davit/files'
import { addContent, addNixRoot, type ContentPackage, contentPath } from '@davit/nix'
import { checkRootName } from '../root-name.ts'
import type { NixContext } from './nix-context.ts'
import { rootsDirectory } from './roots-directory.ts'

/** A character that no name of a root contains. */
const SEPARATOR = ':'
const TEMPORARY = `temporary${SEPARATOR}`
const TEMPORARY_MILLISECONDS = 24 * 60 * 60 * 1000

/** Keeps paths and their closures under a name, in place of what it kept before. */
export async function addRoot(context: NixContext, name: string, paths: readonly StorePath[]): Promise<void> {
  checkRootName(name)
  await keepTogether(context, paths, () => name)
}

/** Whether a name keeps these paths, and no others. */
export function hasRoot({ directory, environment }: NixContext, name: string, paths: readonly StorePath[]): boolean {
  checkRootName(name)
  try {
    return readlinkSync(join(rootsDirectory(environment), name)) === contentPath(directory, listOf(paths)).path
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}

export async function removeRoot({ environment }: NixContext, name: string): Promise<void> {
  checkRootName(name)
  rmSync(join(rootsDirectory(environment), name), { force: true })
}

/** Keeps paths and their closures for a day. */
export async function protect(context: NixContext, paths: readonly StorePath[]): Promise<void> {
  if (paths.length === 0) return
  await keepTogether(context, paths, temporaryName)
  sweep(context)
}

/** Like `protect`, for a path that refers to everything that is kept. */
export async function protectByReference({ environment }: NixContext, path: StorePath): Promise<void> {
  await addNixRoot(environment, join(rootsDirectory(environment), temporaryName(path)), path)
}

/** Keeps any number of paths with a single link, to a path that refers to all of them. */
async function keepTogether(
  { directory, environment, withServe }: NixContext,
  paths: readonly StorePath[],
  nameOf: (path: StorePath) => string,
): Promise<void> {
  await withServe(async (client) => {
    const [path] = await addContent(client, directory, [listOf(paths)])
    // While the client lives, none of these paths is collected.
    if (path !== undefined) await addNixRoot(environment, join(rootsDirectory(environment), nameOf(path)), path)
  })
}

/** A package that refers to all of these paths. */
function listOf(paths: readonly StorePath[]): ContentPackage {
  const references = [...new Set(paths)].sort()
  const content = references.map((path) => `${path}\n`).join('')
  return { name: 'davit-root', tree: { kind: 'file', content }, references }
}

function temporaryName(path: StorePath): string {
  return `${TEMPORARY}${basename(path)}`
}

function sweep({ environment }: NixContext): void {
  const directory = rootsDirectory(environment)
  if (!existsSync(directory)) return
  const now = Date.now()
  for (const name of readdirSync(directory)) {
    const link = join(directory, name)
    if (name.startsWith(TEMPORARY) && isOld(link, now)) rmSync(link, { force: true })
  }
}

/** Whether a link is old; one that another process has just removed is not. */
function isOld(link: string, now: number): boolean {
  try {
    return now - lstatSync(link).mtimeMs > TEMPORARY_MILLISECONDS
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}
