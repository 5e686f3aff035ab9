import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { removeTree } from '@davit/testing/scratch'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'

const MISSING = sshdMissing()
const run = promisify(execFile)

describe.skipIf(MISSING !== undefined)(`davit-env over ssh ${MISSING ?? ''}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'davit-env-ssh-'))
  let sshd: TestSshd
  beforeAll(async () => {
    const state = join(directory, 'target')
    mkdirSync(state)
    // The steps must not need more sessions at a time than tools on their own.
    sshd = await startSshd({ lines: ['MaxSessions 2', `SetEnv DAVIT_STATE_DIR=${state}`] })
    const entry = fileURLToPath(new URL('../src/bin.ts', import.meta.url))
    await bundleTools([{ name: 'davit-env', entry }], join(directory, 'out'))
  })
  afterAll(async () => {
    await sshd?.stop()
    removeTree(directory)
  })

  const fileOf = (name: string, model: object): string => {
    const file = join(directory, `${name}.json`)
    writeFileSync(file, JSON.stringify(model))
    return file
  }

  test('logs in to a machine once, although each step works there', async () => {
    const infrastructure = { there: { properties: { hostname: sshd.address } } }
    const models = ['-P', fileOf('packages', {}), '-i', fileOf('infrastructure', infrastructure)]
    const { stderr } = await run(join(directory, 'out/bin/davit-env.cjs'), models, {
      env: {
        ...sshd.environment,
        TMPDIR: directory,
        DAVIT_STATE_DIR: join(directory, 'state'),
        DAVIT_STORE_DIR: join(directory, 'store'),
      },
    })
    expect(stderr).toContain('generation 1 on the coordinator')
    const count = (event: string) => sshd.log().split(event).length - 1
    // davit-activate --check, distribute, lock, activate and set each have a helper of their own.
    await until(() => expect(count('Starting session: command')).toBeGreaterThanOrEqual(5))
    expect(count('Accepted publickey')).toBe(1)
  })
})
