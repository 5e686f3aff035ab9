import type { StorePath } from '@davit/documents'
import { invalidPath, readDerivations, referencesFirst } from '@davit/nix'
import type { NixContext } from './nix-context.ts'

export async function closureOf({ withServe }: NixContext, paths: readonly StorePath[]): Promise<readonly StorePath[]> {
  return withServe(async (client) => {
    const valid = await client.validPaths(paths)
    for (const path of paths) if (!valid.has(path)) throw invalidPath(path)
    const infos = await client.pathInfos(await client.closure(paths))
    return referencesFirst(infos).map(({ path }) => path)
  })
}

export async function invalidPaths(
  { withServe }: NixContext,
  paths: readonly StorePath[],
): Promise<readonly StorePath[]> {
  if (paths.length === 0) return []
  const valid = await withServe((client) => client.validPaths(paths))
  return paths.filter((path) => !valid.has(path))
}

export async function outputsOf(
  { withServe }: NixContext,
  derivations: readonly StorePath[],
): Promise<ReadonlyMap<StorePath, readonly StorePath[]>> {
  if (derivations.length === 0) return new Map()
  const read = await withServe((client) => readDerivations(client, derivations))
  return new Map(read.map(({ path, outputs }) => [path, [...outputs.values()]]))
}
