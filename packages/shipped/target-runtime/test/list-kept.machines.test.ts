import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

  const script = () => {
    const places = `D='${directory}' state=$D/state mark=mine roots=$D/roots registrations=$D/registrations locks=$D/locks`
    return `${runtime({ own: ['common', 'refuse', 'claim', 'holder', 'collect'] })}\n${places}\nlist_kept`
  }
  const listKept = (hidePid: HidePid) => {
    const [file, ...rest] = withHiddenProc(hidePid, [program, ...options, '-c', script()])
    return spawnSync(file, rest, { encoding: 'utf8' }).stdout
  }

  test('has nothing of what is not a file: neither links, through which root would read others, nor pipes without end', () => {
    const [there, process] = [join(directory, 'other/targets/t1/active/default'), `${globalThis.process.pid}:1:unknown`]
    for (const name of ['a:good', 'b:pipe', 'c:link', 'd:later']) mkdirSync(join(there, name), { recursive: true })
    mkdirSync(join(directory, 'roots'))
    symlinkSync(join(directory, 'other/targets'), join(directory, 'roots/state:other'))
    const secret = join(directory, 'secret')
    writeFileSync(secret, 'pkg /secret\n')
    for (const name of ['a:good', 'd:later']) writeFileSync(join(there, name, 'record'), `pkg /store/${name}\n`)
    spawnSync('mkfifo', [join(there, 'b:pipe/record')])
    symlinkSync(secret, join(there, 'c:link/record'))
    for (const kind of ['asked', 'needed']) {
      mkdirSync(join(directory, kind))
      symlinkSync(secret, join(directory, kind, process))
    }
    const { stdout } = spawnSync(program, [...options, '-c', script()], { encoding: 'utf8' })
    expect(stdout).toBe('/store/a:good active\n/store/d:later active\n')
  })

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
