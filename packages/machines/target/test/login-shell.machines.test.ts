import { connectionPool } from '@davit/connection'
import { loginShellMissing, sshdMissing, startSshd } from '@davit/testing/sshd'
import { describe, expect, test } from 'vitest'

import { openMachine } from '../src/target.ts'

const why = sshdMissing() ?? loginShellMissing()

describe.skipIf(why !== undefined)(`a machine through sshd${why === undefined ? '' : ` (${why})`}`, () => {
  const reach = async (loginShell: string) => {
    const sshd = await startSshd({ loginShell })
    const pool = connectionPool({ environment: sshd.environment })
    try {
      const address = `root@${sshd.address}`
      const machine = await openMachine(() => pool.connect([{ kind: 'ssh', address }])).catch((error: unknown) => error)
      return { machine, address }
    } finally {
      await pool.close()
      await sshd.stop()
    }
  }

  test('whose login shell is nologin is refused with 77, and the message names it', async () => {
    const { machine, address } = await reach('/usr/sbin/nologin')
    expect(machine).toMatchObject({
      code: 'no-shell',
      exitStatus: 77,
      hint: 'give the account a login shell that runs commands',
      message: expect.stringMatching(
        new RegExp(`^the login shell on '${address}' ran no command: .*This account is currently not available`),
      ),
    })
  })

  test.each(['/bin/false', '/bin/true'])('whose login shell is %s is refused with 77 as well', async (shell) => {
    const { machine } = await reach(shell)
    expect(machine).toMatchObject({ code: 'no-shell', exitStatus: 77 })
  })
})
