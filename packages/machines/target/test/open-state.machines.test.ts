import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import { scratchDirectory } from '@davit/testing/scratch'
import { shellsWithUtilities } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { openMachine, readCondition, type Role } from '../src/target.ts'

const AS_ROOT = process.getuid?.() === 0
const OTHER = 4242

describe.each(shellsWithUtilities())('the directory of the state on a machine with $name', (shell) => {
  /** What keeps a helper of a role from working, if anything. */
  async function refusal(state: string, role: Role = 'deploy'): Promise<unknown> {
    try {
      const machine = await openMachine(async () => shellConnection(shell, state), { role })
      machine.close()
      return undefined
    } catch (error) {
      return error
    }
  }
  const refused = (path: string) => ({
    code: 'not-private',
    message: expect.stringContaining(`others may change '${path}'`) as string,
  })
  const place = () => {
    const root = scratchDirectory()
    mkdirSync(join(root, 'above/state'), { recursive: true })
    return { above: join(root, 'above'), state: join(root, 'above/state'), link: join(root, 'link') }
  }

  test('is used if only this account and root may change it, or it is not there yet', async () => {
    const { above, state, link } = place()
    expect(await refusal(state)).toBeUndefined()
    expect(await refusal(join(above, 'not/yet'))).toBeUndefined()
    symlinkSync(state, link)
    expect(await refusal(link)).toBeUndefined()
    chmodSync(above, 0o1777)
    chmodSync(state, 0o775)
    expect(await refusal(state)).toBeUndefined()
  })

  test('is refused by every helper if others may write on the way to it, but for the one that finds out what is wrong', async () => {
    const { above, state } = place()
    chmodSync(above, 0o777)
    for (const role of ['deploy', 'carry', 'collect', 'state', 'trial', 'confirm', 'query', 'logs'] as const)
      expect([role, await refusal(state, role)]).toMatchObject([role, refused(above)])
    const machine = await openMachine(async () => shellConnection(shell, state), { role: 'check' })
    expect((await readCondition(machine, [])).open).toBe(above)
    machine.close()
  })

  test.runIf(AS_ROOT)('is refused if a step belongs to somebody else, or a link leads to one', async () => {
    const { above, state, link } = place()
    for (const path of [above, state]) {
      chownSync(path, OTHER, 0)
      expect(await refusal(state)).toMatchObject(refused(path))
      chownSync(path, 0, 0)
    }
    chownSync(above, 0, OTHER)
    chmodSync(above, 0o775)
    expect(await refusal(state)).toMatchObject(refused(above))
    symlinkSync(state, link)
    expect(await refusal(link)).toMatchObject(refused(above))
    chmodSync(above, 0o755)
    expect(await refusal(link)).toBeUndefined()
    lchownSync(link, OTHER, OTHER)
    expect(await refusal(link)).toMatchObject(refused(link))
  })
})
