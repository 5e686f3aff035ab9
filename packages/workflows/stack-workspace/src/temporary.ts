import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOwnDirectory, removeTree, withTemporaryDirectory } from '@davit/files'
import {
  encodeProcessReference,
  type Environment,
  isProcessGone,
  parseProcessReference,
  processReference,
} from '@davit/process'

const PREFIX = 'davit-fetch.'

/** Calls a function with a fresh directory for repositories below TMPDIR, and removes what killed runs of this user have left there. */
export function withRepositories<Result>(
  environment: Environment,
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const swept = (directory: string) => {
    sweep(environment['TMPDIR'] || tmpdir())
    return use(directory)
  }
  return withTemporaryDirectory(environment, swept, `${PREFIX}${encodeProcessReference(processReference())}.`)
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, process = ''] = /^davit-fetch\.([\d.]+)\.\w{6}$/.exec(name) ?? []
    const owner = parseProcessReference(process)
    const path = join(parent, name)
    if (owner === undefined || !isProcessGone(owner) || !isOwnDirectory(path)) continue
    try {
      removeTree(path)
    } catch {
      // It harms nobody, and davit-doctor finds it.
    }
  }
}
