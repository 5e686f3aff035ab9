import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { figuresPlace, keptRuns, longFiles } from './test.d/figures.ts'

/** Begins with the files that took longest in the last whole run here, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const longest = longFiles(keptRuns(figuresPlace(process.env)))
    const keyOf = ({ moduleId }: TestSpecification) => orderKey(relative(root, moduleId), sequence.seed, longest)
    return files.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  }
}

/** Returns text by which files are sorted: the longest first, and otherwise in an order that depends on the seed alone. */
export function orderKey(path: string, seed: number, longest: ReadonlySet<string>): string {
  const place = createHash('sha256').update(`${seed} ${path}`).digest('hex')
  return `${longest.has(path) ? 0 : 1} ${place}`
}
