import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '@davit/diagnostics'

import { processSettingsProblems } from './process-settings.ts'

/** Longer files are not checked; settings are short. */
const MAX_LENGTH = 100_000

/** Checks the settings of a component. One that cannot be read here gives no findings: its target will report them. */
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
