import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DavitError } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Isolation } from '@davit/isolation'
import type { StoreContext } from './store-context.ts'
import { fetchedDirectory } from './store-layout.ts'

/** Remembers which derivations come from fetched stacks. It stands beside them, since it does not change what they make. */
export function markFetched({ layout }: StoreContext, derivations: ReadonlyMap<StorePath, boolean>): void {
  const directory = fetchedDirectory(layout)
  const isThere = existsSync(directory)
  for (const [path, isFetched] of derivations) {
    const mark = join(directory, basename(path))
    if (isFetched) {
      mkdirSync(directory, { recursive: true })
      writeFileSync(mark, '')
    } else if (isThere) {
      rmSync(mark, { force: true })
    }
  }
}

/** Refuses builds of strangers where they could read what this account can read. */
export function refuseFetched(
  { layout, trustsBuilds }: StoreContext,
  { kind }: Isolation,
  builds: readonly { readonly name: string; readonly derivation: StorePath }[],
): void {
  if (kind === 'bubblewrap' || trustsBuilds) return
  const fetched = builds.filter(({ derivation }) => existsSync(join(fetchedDirectory(layout), basename(derivation))))
  if (fetched.length === 0) return
  const diagnostics = fetched.map(({ name }) => {
    return { severity: 'error', message: `the build of '${name}' comes from a stack that was fetched` } as const
  })
  throw new DavitError('untrusted-builds', 'without bubblewrap (bwrap), builds from fetched stacks are not run', {
    hint: 'install bubblewrap on the machine that builds; or read these builds, and give --trust-builds',
    diagnostics,
  })
}
