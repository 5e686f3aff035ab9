import { encodeRequest, type RequestPart } from './serve-wire.ts'

/** A file, link or directory that is made in memory. */
export type PackageTree =
  | { readonly kind: 'file'; readonly content: string | Uint8Array; readonly executable?: boolean }
  | { readonly kind: 'link'; readonly to: string }
  | { readonly kind: 'directory'; readonly entries: ReadonlyMap<string, PackageTree> }

/** Encodes a tree as an archive of Nix (NAR). */
export function encodeArchive(tree: PackageTree): Buffer {
  return encodeRequest(['nix-archive-1', ...partsOf(tree)])
}

function partsOf(tree: PackageTree): readonly RequestPart[] {
  switch (tree.kind) {
    case 'file': {
      const marks = tree.executable === true ? ['executable', ''] : []
      return ['(', 'type', 'regular', ...marks, 'contents', bytesOf(tree.content), ')']
    }
    case 'link':
      return ['(', 'type', 'symlink', 'target', tree.to, ')']
    case 'directory':
      return ['(', 'type', 'directory', ...[...tree.entries].sort(byName).flatMap(partsOfEntry), ')']
  }
}

function partsOfEntry([name, tree]: readonly [string, PackageTree]): readonly RequestPart[] {
  return ['entry', '(', 'name', name, 'node', ...partsOf(tree), ')']
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
