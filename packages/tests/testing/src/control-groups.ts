import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'

/** Removes the control groups that an engine of Docker leaves behind, in each hierarchy: the one that it was given, and those below. */
export function removeControlGroups(group: string): void {
  for (const directory of [ROOT, ...readdirSync(ROOT).map((name) => join(ROOT, name))].map((path) =>
    join(path, group),
  )) {
    if (!existsSync(directory)) continue
    const below = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of below) rmdirSync(join(directory, name))
    rmdirSync(directory)
  }
}
