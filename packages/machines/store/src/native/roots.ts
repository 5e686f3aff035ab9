import { lutimesSync, readdirSync, renameSync, rmSync, symlinkSync, lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { syncDirectory, systemErrorCode } from '@davit/files'
import { checkRootName } from '../root-name.ts'
import { needPaths } from './needed.ts'
import { pathExists } from './path-exists.ts'
import type { StoreContext } from './store-context.ts'
import { withWorkspace } from './workspace.ts'

/** A character that no name of a root contains. */
const SEPARATOR = ':'
const TEMPORARY = `temporary${SEPARATOR}`
const TEMPORARY_MILLISECONDS = 24 * 60 * 60 * 1000

/** Keeps paths and their closures under a name, in place of what it kept before. */
export async function addRoot(context: StoreContext, name: string, paths: readonly StorePath[]): Promise<void> {
  checkRootName(name)
  await context.prepare()
  await context.undisturbed(() => addLinks(context, `${name}${SEPARATOR}`, paths))
  const kept = new Set(paths.map((path) => basename(path)))
  removeLinks(context, `${name}${SEPARATOR}`, (link) => !kept.has(link))
}

/** Whether a name keeps all of these paths. */
export function hasRoot({ layout }: StoreContext, name: string, paths: readonly StorePath[]): boolean {
  checkRootName(name)
  return paths.every((path) => pathExists(join(layout.roots, `${name}${SEPARATOR}${basename(path)}`)))
}

export async function removeRoot(context: StoreContext, name: string): Promise<void> {
  checkRootName(name)
  removeLinks(context, `${name}${SEPARATOR}`, () => true)
}

/** Keeps paths and their closures for a day. */
export async function protect(context: StoreContext, paths: readonly StorePath[]): Promise<void> {
  const { roots } = context.layout
  const now = new Date()
  await context.prepare()
  await context.undisturbed(async () => {
    needPaths(context, paths)
    await addLinks(context, TEMPORARY, paths)
    for (const path of paths) lutimesSync(join(roots, `${TEMPORARY}${basename(path)}`), now, now)
  })
  removeLinks(context, TEMPORARY, (link) => isOld(join(roots, `${TEMPORARY}${link}`), now))
}

async function addLinks(context: StoreContext, prefix: string, paths: readonly StorePath[]): Promise<void> {
  const { layout, registry } = context
  for (const path of paths) registry.get(path)
  const absent = paths.filter((path) => !pathExists(join(layout.roots, `${prefix}${basename(path)}`)))
  if (absent.length === 0) return
  await withWorkspace(layout, async (workspace) => {
    for (const path of absent) {
      const link = join(workspace, 'root')
      symlinkSync(path, link)
      renameSync(link, join(layout.roots, `${prefix}${basename(path)}`))
    }
    await syncDirectory(layout.roots)
  })
}

function removeLinks({ layout }: StoreContext, prefix: string, isUnwanted: (link: string) => boolean): void {
  if (!pathExists(layout.roots)) return
  for (const link of readdirSync(layout.roots)) {
    if (link.startsWith(prefix) && isUnwanted(link.slice(prefix.length)))
      rmSync(join(layout.roots, link), { force: true })
  }
}

/** Whether a link is old; one that another process has just removed is not. */
function isOld(link: string, now: Date): boolean {
  try {
    return now.getTime() - lstatSync(link).mtimeMs > TEMPORARY_MILLISECONDS
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}
