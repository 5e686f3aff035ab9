import { basename } from 'node:path'
import type { LifecycleModule } from '@davit/modules'
import type { PackageTree } from '@davit/nix'
import type { ProfileContents } from './store-interface.ts'

/**
 * Tree of a profile: `profilemanifest.xml`, a link to each package in `packages`, and in `modules` links to each module
 * and to its declaration of activities.
 */
export function profileTree({ packages, profileManifest, modules }: ProfileContents): PackageTree {
  return directory([
    ['profilemanifest.xml', { kind: 'file', content: profileManifest }],
    ['packages', directory(packages.map((path) => [basename(path), { kind: 'link', to: path }]))],
    ['modules', directory([...modules].flatMap(([type, path]) => moduleFiles(type).map((file) => linkTo(path, file))))],
  ])
}

/** Tree of a module: a directory that contains the module, named by its type, and `TYPE.activities`. */
export function moduleTree(type: string, { script, activities }: LifecycleModule): PackageTree {
  const [executable = '', declaration = ''] = moduleFiles(type)
  return directory([
    [executable, { kind: 'file', content: script, executable: true }],
    [declaration, { kind: 'file', content: activities.map((activity) => `${activity}\n`).join('') }],
  ])
}

function moduleFiles(type: string): readonly string[] {
  return [type, `${type}.activities`]
}

function linkTo(path: string, file: string): readonly [string, PackageTree] {
  return [file, { kind: 'link', to: `${path}/${file}` }]
}

function directory(entries: readonly (readonly [string, PackageTree])[]): PackageTree {
  return { kind: 'directory', entries: new Map(entries) }
}
