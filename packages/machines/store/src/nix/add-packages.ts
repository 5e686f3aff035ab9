import type { StorePath } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { addContent } from '@davit/nix'
import { moduleTree, profileTree } from '../package-trees.ts'
import type { ProfileContents } from '../store-interface.ts'
import type { NixContext } from './nix-context.ts'
import { protect } from './roots.ts'

export async function addModule(context: NixContext, type: string, module: LifecycleModule): Promise<StorePath> {
  const content = { name: type, tree: moduleTree(type, module), references: [] }
  const [path] = await context.withServe((client) => addContent(client, context.directory, [content]))
  return path as StorePath
}

/** Adds profiles as packages named by content, with references: that needs no build, and no sandbox can prevent it. */
export async function addProfiles(
  context: NixContext,
  profiles: readonly ProfileContents[],
): Promise<readonly StorePath[]> {
  const contents = profiles.map((profile) => ({
    name: profile.name,
    tree: profileTree(profile),
    references: [...profile.packages, ...profile.modules.values()],
  }))
  return context.withServe(async (client) => {
    const paths = await addContent(client, context.directory, contents)
    await protect(context, paths)
    return paths
  })
}
