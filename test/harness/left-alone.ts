import { expect } from 'vitest'

import type { Coordinator } from './coordinator.ts'
import type { Host } from './hosts.ts'
import { contentsOf } from './trace.ts'

/** Directories of davit on a target, and of the user's packages there. */
const STATE = '/var/lib/davit'

/** Does something to a part of a deployment, and expects that all that davit has on these hosts stays byte for byte. */
export async function leavingAlone<Result>(
  hosts: readonly Host[],
  { storeDirectory }: Coordinator,
  work: () => Promise<Result>,
): Promise<Result> {
  const contents = () => Promise.all(hosts.map(async (host) => ofDavit(await contentsOf(host, STATE, storeDirectory))))
  const before = await contents()
  // There is something to compare.
  for (const text of before) expect(text).toContain(STATE)
  const result = await work()
  expect(await contents()).toEqual(before)
  return result
}

/** Without what services write themselves, whenever somebody asks them. */
function ofDavit(contents: string): string {
  return contents
    .split('\n')
    .filter((line) => !line.includes('/log/services'))
    .join('\n')
}
