import { join } from 'node:path'
import { writeFileAtomic } from '@davit/files'
import { writeJson } from '@davit/languages'
import type { StackFiles } from '@davit/stack'
import { withoutPassword } from './git.ts'

/** Name of the record of where a fetched stack comes from. */
export const ORIGIN_FILE = '.origin.json'

/** Where a fetched stack comes from. */
export interface OriginRecord {
  readonly repository: string
  readonly commit: string
  /** The tag whose version it is; missing for a commit and for the default branch. */
  readonly tag?: string
}

export function writeOrigin(directory: string, { repository, ...origin }: OriginRecord): Promise<void> {
  const record = { repository: withoutPassword(repository), ...origin }
  return writeFileAtomic(join(directory, ORIGIN_FILE), `${writeJson(record)}\n`, { mode: 0o644 })
}

/** Returns the commit of which a directory is a copy, and the tag, as far as it says so. */
export function fetchedOrigin(files: StackFiles, directory: string): Partial<Pick<OriginRecord, 'commit' | 'tag'>> {
  const reading = files.read(join(directory, ORIGIN_FILE))
  if (reading.kind !== 'text') return {}
  try {
    const { commit, tag } = JSON.parse(reading.text) as Record<string, unknown>
    return { ...(typeof commit === 'string' ? { commit } : {}), ...(typeof tag === 'string' ? { tag } : {}) }
  } catch {
    return {}
  }
}
