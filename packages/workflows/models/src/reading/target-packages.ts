import { type System, type TargetName, targetName } from '@davit/documents'
import type { ArchitectureModel, PackageModel } from '@davit/normalization'
import type { Model } from './model.ts'
import { described, itemsOf, membersOf, nameOf, type Part, refuse } from './part.ts'
import { readPackage } from './read-package.ts'

export type TargetPackages = ArchitectureModel['targetPackages']

export function readTargetPackages(part: Part, model: Model): TargetPackages {
  const packages = new Map<TargetName, readonly PackageModel[]>()
  for (const [key, member] of membersOf(part, 'a table of lists of packages')) {
    const target = nameOf(targetName, key, member)
    const list = itemsOf(member, 'a list of packages').flatMap(
      (item, index) => model.packageOf?.({ target: key, index }) ?? readItem(item, model),
    )
    if (target !== undefined) packages.set(target, list)
  }
  return packages
}

function readItem(part: Part, { directory }: Model): readonly PackageModel[] {
  if (typeof part.value === 'function') {
    refuse(
      part,
      `expected a package, but got ${described(part.value)}`,
      'packages of targets have no inter-dependencies',
    )
    return []
  }
  const pkg = readPackage(part, { directory })
  return pkg === undefined ? [] : [{ kind: 'data', ...pkg }]
}

/** Selects the packages of each target that were read for the target's system. */
export function packagesForTargets(
  packagesFor: ReadonlyMap<System, TargetPackages>,
  systemOf: (target: TargetName) => System,
): TargetPackages {
  const packages = new Map<TargetName, readonly PackageModel[]>()
  for (const [system, table] of packagesFor) {
    for (const [target, list] of table) {
      if (systemOf(target) === system) packages.set(target, list)
    }
  }
  return packages
}
