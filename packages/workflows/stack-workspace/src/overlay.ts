import type { StackFiles } from '@davit/stack'

/** How a run sees fetched stacks: those that it has staged instead of those that are there, and perhaps none that it has not looked at. */
export interface Overlay {
  readonly files: StackFiles
  /** Has a stack read from another directory than its own. */
  stage(place: string, directory: string): void
  /** Lets a stack be seen as it is. */
  reveal(place: string): void
}

/** Lays what a run has fetched over the directory of fetched stacks, `root`. */
export function overlay(files: StackFiles, root: string, { hidesOthers }: { readonly hidesOthers: boolean }): Overlay {
  const staged = new Map<string, string>()
  const seen = (path: string): string | undefined => {
    if (!path.startsWith(`${root}/`)) return path
    const [place] = [...staged.keys()]
      .filter((one) => path === one || path.startsWith(`${one}/`))
      .toSorted((left, right) => right.length - left.length)
    if (place !== undefined) return `${staged.get(place)}${path.slice(place.length)}`
    return hidesOthers ? undefined : path
  }
  return {
    files: {
      read(path) {
        const at = seen(path)
        return at === undefined ? { kind: 'absent' } : files.read(at)
      },
      realPath(path) {
        const at = seen(path)
        return at === undefined ? undefined : files.realPath(at)
      },
      // What this run has staged is where it should be.
      linkWithin: (root, path) => (seen(path) === path ? files.linkWithin(root, path) : undefined),
      shown: (path) => files.shown(path),
    },
    stage: (place, directory) => void staged.set(place, directory),
    reveal: (place) => void staged.set(place, place),
  }
}
