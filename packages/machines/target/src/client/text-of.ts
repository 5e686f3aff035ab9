import { readFileSync } from 'node:fs'

import { isMissing } from '@davit/files'

/** Returns the text of a small file of a client; undefined if there is none. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
