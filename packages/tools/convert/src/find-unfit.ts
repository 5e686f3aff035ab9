import type { Finding, Path } from '@davit/diagnostics'
import { findUnfitForNix, membersOf } from '@davit/languages'
import { type Kind, WITH_PACKAGES } from './kinds.ts'

/** Finds what davit would not read back from an expression in the Nix language as it is. */
export function findUnfit({ name, title }: Kind, data: object): readonly Finding[] {
  if (WITH_PACKAGES.has(name)) {
    const message = `in the Nix language, the packages of ${title} are derivations, which data cannot express`
    const paths = packagesIn(data)
    return (paths.length === 0 ? [[]] : paths).map((path) => ({ path, message }))
  }
  return findUnfitForNix(data)
}

/** Paths of the members of a table that stand for packages. */
function packagesIn(data: object): readonly Path[] {
  return membersOf(data).flatMap(([name, member]): readonly Path[] => {
    if (name === 'targetPackages') return [[name]]
    if (typeof member !== 'object' || member === null) return []
    if (hasPackage(member)) return [[name, 'pkg']]
    return name === 'services' ? packagesIn(member).map((path) => [name, ...path]) : []
  })
}

function hasPackage(value: object): boolean {
  return membersOf(value).some(([name, member]) => name === 'pkg' && member !== undefined)
}
