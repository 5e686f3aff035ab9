import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { HIDE_PID, type HidePid, withHiddenProc } from '@davit/testing/hidden-proc'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { runtime } from '../src/runtime-script.ts'

const SHELLS = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

describe.each(SHELLS)('what a store keeps, listed in %s', (program, ...options) => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-list-kept-'))
    chmodSync(directory, 0o755)
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const listKept = (hidePid: HidePid) => {
    const places = `D='${directory}' state=$D/state mark=mine roots=$D/roots registrations=$D/registrations locks=$D/locks`
    const script = `${runtime({ own: ['common', 'refuse', 'claim', 'holder', 'collect'] })}\n${places}\nlist_kept`
    const [file, ...rest] = withHiddenProc(hidePid, [program, ...options, '-c', script])
    return spawnSync(file, rest, { encoding: 'utf8' }).stdout
  }

  test.each(HIDE_PID)(
    'includes what a living process of another user needs or reported, even if it is hidden (hidepid=%s)',
    async (hidePid) => {
      const owner = spawn('sleep', ['600'], { stdio: 'ignore' })
      const identity = spawnSync(
        'sh',
        ['-c', `${runtime({ own: ['common', 'claim'] })}\nprocess_identity ${owner.pid}\necho "$identity"`],
        {
          encoding: 'utf8',
        },
      ).stdout.trim()
      for (const kind of ['needed', 'asked']) {
        mkdirSync(join(directory, kind))
        writeFileSync(join(directory, kind, identity), `what-is-${kind}\n`)
      }
      try {
        expect(listKept(hidePid)).toBe('what-is-asked asked\nwhat-is-needed needed\n')
      } finally {
        owner.kill('SIGKILL')
        await once(owner, 'exit')
      }
      expect(listKept(hidePid)).toBe('')
    },
  )
})
