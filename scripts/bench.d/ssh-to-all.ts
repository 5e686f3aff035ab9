import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHost } from './bench-host.ts'
import { type FullMeasurement, measure, type StartOptions } from './measure.ts'

const SSH = 'xargs -P 16 -I HOST ssh -F "$1" HOST true <"$2"'

/** Measures `ssh HOST true` for all hosts, 16 at a time. */
export function sshToAll(hosts: readonly BenchHost[], options: StartOptions): Promise<FullMeasurement> {
  const names = join(options.directory, 'hosts')
  writeFileSync(names, hosts.map(({ name }) => `${name}\n`).join(''))
  return measure(['sh', '-c', SSH, 'sh', hosts[0]?.configuration ?? '', names], options)
}
