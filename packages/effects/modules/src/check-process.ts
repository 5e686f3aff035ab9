import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '@davit/diagnostics'

import { processSettingsProblems } from './process-settings.ts'

/** Nobody writes more settings than that. */
const MAX_LENGTH = 100_000

/** Of a component that cannot be read here nothing is said: its target will say it. */
export async function checkProcess(component: string): Promise<readonly Finding[]> {
  const directory = join(component, 'etc/dysnomia/process')
  const names = await readdir(directory).then(
    (found) => found.toSorted(),
    () => [],
  )
  const problems = await Promise.all(
    names.map(async (name) => {
      const file = join(directory, name)
      const text = await readFile(file, 'utf8').catch(() => '')
      return text.length > MAX_LENGTH ? [] : processSettingsProblems(text, file)
    }),
  )
  return problems.flat()
}
