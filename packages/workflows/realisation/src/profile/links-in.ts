import { readdir, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { parseStorePath, type StorePath } from '@davit/documents'

/** Packages to which a profile on this machine links; undefined if it is not here, or not a profile of davit. */
export async function packagesIn(profile: StorePath): Promise<readonly StorePath[] | undefined> {
  const files = await readdir(join(profile, 'packages')).catch(() => undefined)
  if (files === undefined) return undefined
  const paths = await Promise.all(files.map((file) => readlink(join(profile, 'packages', file)).catch(() => '')))
  return paths.flatMap((path) => parseStorePath(path) ?? [])
}

/** Modules that a profile has already, by type. */
export async function modulesIn(profile: StorePath): Promise<ReadonlyMap<string, StorePath>> {
  const directory = join(profile, 'modules')
  const files = await readdir(directory).catch(() => [])
  const types = files.filter((file) => !file.endsWith('.activities'))
  const paths = types.map(async (type) => {
    const path = parseStorePath(dirname(await readlink(join(directory, type)).catch(() => '')))
    return path === undefined ? [] : [[type, path] as const]
  })
  return new Map((await Promise.all(paths)).flat())
}
