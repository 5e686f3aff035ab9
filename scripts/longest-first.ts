import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that take a minute or more on an idle machine with two processors. */
export const LONGEST: ReadonlySet<string> = new Set([
  'packages/effects/modules/test/docker-container.test.ts',
  'packages/effects/modules/test/mysql-database.test.ts',
  'packages/effects/modules/test/postgresql-database.test.ts',
  'packages/effects/modules/test/supervisord-program.test.ts',
  'packages/tools/state/test/snapshot.test.ts',
  'test/deployment/deployment.test.ts',
  'test/faults/faults.test.ts',
  'test/project/install.test.ts',
  'test/hosts/slow-hosts.test.ts',
  'test/state/state-faults.test.ts',
  'test/state/state.test.ts',
])

/** Begins with the longest files, so that none of them runs alone at the end; otherwise, the order depends on the seed alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const keyOf = ({ moduleId }: TestSpecification) => orderKey(relative(root, moduleId), sequence.seed)
    return files.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  }
}

/** Returns text by which files are sorted. */
export function orderKey(path: string, seed: number): string {
  const place = createHash('sha256').update(`${seed} ${path}`).digest('hex')
  return `${LONGEST.has(path) ? 0 : 1} ${place}`
}
