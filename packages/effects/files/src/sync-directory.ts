import { open } from 'node:fs/promises'

/** Makes renames in this directory survive a loss of power. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
