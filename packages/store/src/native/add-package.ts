import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StorePath } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { stageTree } from './add-tree.ts'
import { badName } from './add-source.ts'
import type { ProfileContents } from '../store-interface.ts'
import { pathExists } from './path-exists.ts'
import { protect } from './roots.ts'
import type { StoreContext } from './store-context.ts'
import { isPackageName } from './store-path.ts'
import { withWorkspace } from './workspace.ts'

/** All at a time, so that they share what it costs to write them safely. */
export async function addProfiles(
  context: StoreContext,
  profiles: readonly ProfileContents[],
): Promise<readonly StorePath[]> {
  const paths = await Promise.all(profiles.map((contents) => addProfile(context, contents)))
  await protect(context, paths)
  return paths
}

/**
 * Makes the package of a profile: `profilemanifest.xml`, a link to each package in `packages`, and in `modules` a link to
 * each module, with its declaration of activities beside it.
 */
async function addProfile(context: StoreContext, contents: ProfileContents): Promise<StorePath> {
  const references = [...contents.packages, ...contents.modules.values()]
  for (const path of references) context.registry.get(path)
  return addPackage(context, { name: contents.name, references }, (tree) => {
    writeFileSync(join(tree, 'profilemanifest.xml'), contents.profileManifest)
    mkdirSync(join(tree, 'packages'))
    mkdirSync(join(tree, 'modules'))
    for (const path of new Set(contents.packages)) symlinkSync(path, join(tree, 'packages', basename(path)))
    for (const [type, path] of contents.modules) linkModule(join(tree, 'modules'), type, path)
  })
}

/** Makes the package of a module: a directory that holds the module, named by its type, and `TYPE.activities`. */
export async function addModule(context: StoreContext, type: string, module: LifecycleModule): Promise<StorePath> {
  return addPackage(context, { name: type, references: [] }, (tree) => {
    writeFileSync(join(tree, type), module.script, { mode: 0o755 })
    writeFileSync(join(tree, activitiesFile(type)), module.activities.map((activity) => `${activity}\n`).join(''))
  })
}

interface PackageIdentity {
  readonly name: string
  readonly references: readonly StorePath[]
}

async function addPackage(
  context: StoreContext,
  identity: PackageIdentity,
  fill: (tree: string) => void,
): Promise<StorePath> {
  if (!isPackageName(identity.name)) throw badName(identity.name)
  await context.prepare()
  return withWorkspace(context.layout, async (workspace) => {
    const tree = join(workspace, 'tree')
    mkdirSync(tree)
    fill(tree)
    const staged = await stageTree(context.layout.directory, tree, identity)
    const { path } = staged.registration
    if (context.registry.find(path) === undefined) await context.commit([staged])
    return path
  })
}

function linkModule(directory: string, type: string, path: StorePath): void {
  for (const file of [type, activitiesFile(type)]) {
    const target = join(path, file)
    if (pathExists(target)) symlinkSync(target, join(directory, file))
  }
}

function activitiesFile(type: string): string {
  return `${type}.activities`
}
