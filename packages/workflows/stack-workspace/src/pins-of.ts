import { writeYaml } from '@davit/languages'
import { baseAndName, type CompiledStack, DEFAULT_BASE, isVersion } from '@davit/stack'

/** Writes the versions of all stacks that were reached, as `dependencies` of a workspace file. What states no version, and was not fetched, has none. */
export function pinsOf({ references }: Pick<CompiledStack, 'references'>): string {
  const pins = new Map<string, string>()
  for (const { reference, pinned } of references.values()) {
    const version = pinned.slice(pinned.lastIndexOf('@') + 1)
    const path = baseAndName(reference)
    const name = path.startsWith(DEFAULT_BASE) ? path.slice(DEFAULT_BASE.length) : path
    if (isVersion(version)) pins.set(name, version)
  }
  return writeYaml(new Map([['dependencies', pins]]))
}
