import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Report } from '@davit/diagnostics'
import type { Origin } from '@davit/stack'
import { type Clone, cloneRepository } from './clone.ts'
import { type Git, withoutPassword } from './git.ts'
import type { FetchLimits } from './fetch-limits.ts'

/** The repositories of a run. */
export interface Clones {
  /** Returns a repository, which is fetched once; one that could not be reached is not asked again. */
  of(origin: Origin): Promise<Clone>
}

interface Cloning {
  readonly git: Git
  /** Empty directory for them. */
  readonly temporary: string
  readonly limits: FetchLimits
  readonly report: Report
}

export function openClones({ git, temporary, limits, report }: Cloning): Clones {
  const known = new Map<string, Promise<Clone>>()
  const listings: Clone['listings'] = new Map()
  let { bytes } = limits
  const fetchFrom = async (origin: Origin): Promise<Clone> => {
    const { url } = origin
    const step = { id: `fetch ${url}`, step: `fetch ${withoutPassword(url)}` }
    report({ kind: 'started', ...step })
    try {
      const parent = await mkdtemp(join(temporary, 'clone-'))
      const clone = await cloneRepository(git, origin, { parent, limits: { ...limits, bytes }, listings })
      bytes -= clone.bytes
      report({ kind: 'finished', ...step })
      return clone
    } catch (error) {
      report({ kind: 'failed', ...step, message: 'the reason is told at the end' })
      throw error
    }
  }
  return {
    of(origin) {
      const clone = known.get(origin.url) ?? fetchFrom(origin)
      known.set(origin.url, clone)
      return clone
    },
  }
}
