import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { PackageTree } from '@davit/nix'
import { checkPackageName } from '../package-name.ts'
import { moduleTree, profileTree } from '../package-trees.ts'
import type { ProfileContents } from '../store-interface.ts'
import { contentPathOf, stageTree } from './add-tree.ts'
import type { Staged } from './committer.ts'
import { isContentValid, type NamedContent } from './own-content.ts'
import { protect } from './roots.ts'
import type { StoreContext } from './store-context.ts'
import { digestPackage } from './tree-digest.ts'
import { withWorkspace } from './workspace.ts'

/** Adds all profiles together, so that they share a workspace and the cost of syncing. */
export async function addProfiles(
  context: StoreContext,
  profiles: readonly ProfileContents[],
): Promise<readonly StorePath[]> {
  await context.prepare()
  return context.undisturbed(async () => {
    const paths = await addPackages(context, profiles.map(profilePackage(context)))
    await protect(context, paths)
    return paths
  })
}

function profilePackage({ registry }: StoreContext): (contents: ProfileContents) => NewPackage {
  return (contents) => {
    const references = [...contents.packages, ...contents.modules.values()]
    for (const path of references) registry.get(path)
    return { name: contents.name, references, tree: profileTree(contents) }
  }
}

export async function addModule(context: StoreContext, type: string, module: LifecycleModule): Promise<StorePath> {
  await context.prepare()
  return context.undisturbed(async () => {
    const paths = await addPackages(context, [{ name: type, references: [], tree: moduleTree(type, module) }])
    await protect(context, paths)
    return paths[0] as StorePath
  })
}

interface NewPackage {
  readonly name: string
  readonly references: readonly StorePath[]
  readonly tree: PackageTree
}

/** Only packages that are missing are written. */
async function addPackages(context: StoreContext, packages: readonly NewPackage[]): Promise<readonly StorePath[]> {
  for (const { name } of packages) checkPackageName(name)
  const known = packages.map(({ name, references, tree }) => {
    const { contentHash } = digestPackage(tree)
    return { path: contentPathOf(context.layout.directory, name, contentHash), contentHash, references }
  })
  const missing = packages.filter((_, index) => !isContentValid(context, known[index] as NamedContent))
  if (missing.length > 0) await commitPackages(context, missing)
  return known.map(({ path }) => path)
}

async function commitPackages({ layout, commit }: StoreContext, packages: readonly NewPackage[]): Promise<void> {
  await withWorkspace(layout, async (workspace) => {
    const staged: Staged[] = []
    for (const [index, { tree, ...identity }] of packages.entries()) {
      const place = join(workspace, String(index))
      writePackageTree(place, tree)
      staged.push(await stageTree(layout.directory, place, identity))
    }
    await commit(staged)
  })
}

export function writePackageTree(path: string, tree: PackageTree): void {
  if (tree.kind === 'file') writeFileSync(path, tree.content, { mode: tree.executable === true ? 0o755 : 0o644 })
  else if (tree.kind === 'link') symlinkSync(tree.to, path)
  else {
    mkdirSync(path)
    for (const [name, entry] of tree.entries) writePackageTree(join(path, name), entry)
  }
}
