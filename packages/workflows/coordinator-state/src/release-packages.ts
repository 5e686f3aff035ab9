import { DavitError, type Report } from '@davit/diagnostics'
import { Manifest, parseDocument } from '@davit/documents'
import type { Environment } from '@davit/process'
import { openStore } from '@davit/store'

import type { DeletedGeneration } from './delete-generations.ts'
import { say } from './messages.ts'

export interface ReleaseOptions {
  readonly environment: Environment
  readonly report: Report
}

/** Removes the root that keeps the packages of a deleted generation; for `deleteGenerations`. */
export async function releasePackages(
  deleted: DeletedGeneration,
  { environment, report }: ReleaseOptions,
): Promise<void> {
  const { number, root, text, file } = deleted
  if (root === undefined) return
  try {
    const { store } = parseDocument(Manifest, text, { file })
    await (await openStore(store, { environment })).removeRoot(root)
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    report(say('packages-kept', { generation: number, root, reason: error.message }))
  }
}
