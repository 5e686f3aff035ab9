import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '@davit/diagnostics'

import { processSettingsProblems } from './process-settings.ts'

/** Longer files are not checked; settings are short. */
const MAX_LENGTH = 100_000

/** Checks the settings of a component. One that cannot be read here gives no findings: its target will report them. */
export async function checkProcess(component: string): Promise<readonly Finding[]> {
  const directory = join(component, 'etc/dysnomia/process')
  const problems = await Promise.all(
    namesIn(directory).map(async (name) => {
      const file = join(directory, name)
      const text = await readFile(file, 'utf8').catch(() => '')
      return text.length > MAX_LENGTH ? [] : processSettingsProblems(text, file)
    }),
  )
  return problems.flat()
}

/** Looks synchronously, which is several times as fast: most components have no settings, and there may be thousands. */
function namesIn(directory: string): readonly string[] {
  try {
    return existsSync(directory) ? readdirSync(directory).toSorted() : []
  } catch {
    return []
  }
}
