import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'

import { systemErrorCode } from '@davit/files'

/** The first directory on the way to one that this account may not enter, or may not list if it is the last; undefined if it may. */
export async function refusedIn(directory: string): Promise<string | undefined> {
  const above = dirname(directory)
  const refusedAbove = above === directory ? undefined : await refusedIn(above)
  return refusedAbove ?? ((await isRefused(directory)) ? directory : undefined)
}

async function isRefused(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.X_OK)
    return false
  } catch (error) {
    return systemErrorCode(error) === 'EACCES'
  }
}
