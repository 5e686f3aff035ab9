import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { PackageTree } from '@davit/nix'
import { checkPackageName } from '../package-name.ts'
import { moduleTree, profileTree } from '../package-trees.ts'
import type { ProfileContents } from '../store-interface.ts'
import { stageTree } from './add-tree.ts'
import { protect } from './roots.ts'
import type { StoreContext } from './store-context.ts'
import { withWorkspace } from './workspace.ts'

/** Adds all profiles together, so that they share the cost of syncing. */
export async function addProfiles(
  context: StoreContext,
  profiles: readonly ProfileContents[],
): Promise<readonly StorePath[]> {
  await context.prepare()
  return context.undisturbed(async () => {
    const paths = await Promise.all(profiles.map((contents) => addProfile(context, contents)))
    await protect(context, paths)
    return paths
  })
}

async function addProfile(context: StoreContext, contents: ProfileContents): Promise<StorePath> {
  const references = [...contents.packages, ...contents.modules.values()]
  for (const path of references) context.registry.get(path)
  return addPackage(context, { name: contents.name, references }, profileTree(contents))
}

export async function addModule(context: StoreContext, type: string, module: LifecycleModule): Promise<StorePath> {
  await context.prepare()
  return context.undisturbed(async () => {
    const path = await addPackage(context, { name: type, references: [] }, moduleTree(type, module))
    await protect(context, [path])
    return path
  })
}

interface PackageIdentity {
  readonly name: string
  readonly references: readonly StorePath[]
}

async function addPackage(context: StoreContext, identity: PackageIdentity, contents: PackageTree): Promise<StorePath> {
  checkPackageName(identity.name)
  return withWorkspace(context.layout, async (workspace) => {
    const tree = join(workspace, 'tree')
    writePackageTree(tree, contents)
    const staged = await stageTree(context.layout.directory, tree, identity)
    const { path } = staged.registration
    if (context.registry.find(path) === undefined) await context.commit([staged])
    return path
  })
}

function writePackageTree(path: string, tree: PackageTree): void {
  if (tree.kind === 'file') writeFileSync(path, tree.content, { mode: tree.executable === true ? 0o755 : 0o644 })
  else if (tree.kind === 'link') symlinkSync(tree.to, path)
  else {
    mkdirSync(path)
    for (const [name, entry] of tree.entries) writePackageTree(join(path, name), entry)
  }
}
