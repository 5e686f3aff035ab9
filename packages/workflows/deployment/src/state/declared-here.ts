import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the activities that a module declares which is in the store of this machine: before a deployment, as in a dry run, a
 * target may not have it yet.
 */
export async function declaredHere(reference: string): Promise<readonly string[]> {
  try {
    const text = await readFile(`${await realpath(await moduleHere(reference))}.activities`, 'utf8')
    return text.split('\n')
  } catch {
    return []
  }
}

/** Of `PACKAGE//MODULE`, the module in the package counts, if it has one. */
async function moduleHere(reference: string): Promise<string> {
  const slashes = reference.indexOf('//')
  if (slashes < 0) return reference
  const [provider, module] = [reference.slice(0, slashes), reference.slice(slashes + 1)]
  const modules = join(provider, 'libexec/dysnomia')
  const names = await readdir(modules).catch(() => [])
  const own = names.find((name) => !name.endsWith('.activities'))
  return own === undefined ? module : join(modules, own)
}
