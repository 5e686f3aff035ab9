import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isMissing, readTextFile, writeFileAtomic } from '@davit/files'

/** When a generation was made, and by whom. */
export interface Origin {
  readonly time: Date
  /** Empty where nobody wrote it down. */
  readonly user: string
  readonly host: string
}

export async function writeOrigin(directory: string, { time, user, host }: Origin): Promise<void> {
  const text = `${JSON.stringify({ time: time.toISOString(), user, host })}\n`
  await writeFileAtomic(join(directory, FILE), text, { mode: 0o600 })
}

/** For people, and to tell what is old: where it cannot be read, the time of the manifest has to do. */
export async function readOrigin(directory: string): Promise<Origin> {
  const { time, user, host } = fieldsIn(await textIn(directory))
  const made = new Date(String(time))
  return {
    time: Number.isNaN(made.getTime()) ? (await stat(join(directory, 'manifest'))).mtime : made,
    user: typeof user === 'string' ? user : '',
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
