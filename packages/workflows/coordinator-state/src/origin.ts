import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isMissing, readTextFile, writeFileAtomic } from '@davit/files'

/** When a generation was made, and by whom. */
export interface Origin {
  readonly time: Date
  /** Empty if it was not recorded. */
  readonly user: string
  /** User who became `user` by means of sudo. */
  readonly sudoUser?: string
  readonly host: string
}

export async function writeOrigin(directory: string, { time, ...who }: Origin): Promise<void> {
  const text = `${JSON.stringify({ time: time.toISOString(), ...who })}\n`
  await writeFileAtomic(join(directory, FILE), text, { mode: 0o600 })
}

/** Reads the origin of a generation; if it has no readable time, the time of the manifest file is used. */
export async function readOrigin(directory: string): Promise<Origin> {
  const { time, user, sudoUser, host } = fieldsIn(await textIn(directory))
  const made = new Date(String(time))
  return {
    time: Number.isNaN(made.getTime()) ? (await stat(join(directory, 'manifest'))).mtime : made,
    user: typeof user === 'string' ? user : '',
    ...(typeof sudoUser === 'string' ? { sudoUser } : {}),
    host: typeof host === 'string' ? host : '',
  }
}

const FILE = 'origin.json'

async function textIn(directory: string): Promise<string> {
  try {
    return await readTextFile(join(directory, FILE))
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(text)
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
