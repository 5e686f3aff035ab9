import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { notingShells } from '@davit/testing/shells'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

import { readFiles } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

const AS_ROOT = process.getuid?.() === 0
/** Accounts that own nothing else; the first has a name, without which Busybox becomes nobody. */
const OWNERS = [1, 4242] as const
const SECRET = 'root:secret\n'

const directories: string[] = []
afterAll(() => {
  closeScenes()
  for (const directory of directories) rmSync(directory, { recursive: true })
})

describe.skipIf(!AS_ROOT).each(notingShells())(
  'logs in a directory of somebody else, on a machine with $name',
  (shell) => {
    let place: string
    let secret: string
    let log: string
    beforeEach(() => {
      const root = mkdtempSync(join(tmpdir(), 'davit-logs-'))
      directories.push(root)
      chmodSync(root, 0o755)
      place = join(root, 'place')
      log = join(place, 'log')
      secret = join(root, 'secret')
      mkdirSync(place)
      chownSync(place, OWNERS[0], OWNERS[0])
      writeFileSync(secret, SECRET, { mode: 0o640 })
    })

    const opened = async () => {
      const scene = await Scene.open(shell)
      const machine = await scene.machineFor('logs')
      let position: string | undefined
      return async (path = log) => {
        const { parts } = await readFiles(machine, { files: [{ path, position }], bytes: 1000, lines: 3 })
        position = parts[0]?.position ?? position
        return parts[0]?.text
      }
    }
    const write = (text: string, owner: number = OWNERS[0], path = log) => {
      writeFileSync(path, text, { mode: 0o640 })
      chownSync(path, owner, owner)
    }

    test.each(shell.name === 'busybox' ? OWNERS.slice(0, 1) : OWNERS)(
      'are read as their owner, here %i',
      async (owner) => {
        const read = await opened()
        chownSync(place, owner, owner)
        chmodSync(place, 0o700)
        write('one\n', owner)
        expect(await read()).toBe('one\n')
        renameSync(log, `${log}.1`)
        write('one\ntwo\n', owner, `${log}.1`)
        write('three\n', owner)
        expect(await read()).toMatch(/three\n$/)
      },
    )

    test('are not what its owner may not read', async () => {
      symlinkSync(secret, log)
      lchownSync(log, OWNERS[0], OWNERS[0])
      expect(await (await opened())()).toBeUndefined()
      rmSync(log)
      spawnSync('mkfifo', [log])
      chownSync(log, OWNERS[0], OWNERS[0])
      expect(await (await opened())()).toBeUndefined()
      rmSync(log)
      mkdirSync(join(place, 'deep'))
      chownSync(join(place, 'deep'), OWNERS[0], OWNERS[0])
      symlinkSync(join(place, '..'), join(place, 'deep/up'))
      lchownSync(join(place, 'deep/up'), OWNERS[0], OWNERS[0])
      const through = join(place, 'deep/up/secret')
      expect(await (await opened())(through)).toMatch(/^davit: '.*' is not read as root: .*belongs to 'daemon'/)
    })

    test('are not read if they belong to root, which only its owner can have put there', async () => {
      linkSync(secret, log)
      const read = await opened()
      expect(await read()).toMatch(/^davit: '.*\/place\/log' is not read as root: '.*\/place' belongs to 'daemon'/)
      // Once is enough, until it is another file.
      expect(await read()).toBeUndefined()
      rmSync(log)
      write('mine\n')
      expect(await read()).toBe('mine\n')
      rmSync(log)
      // Neither is what it becomes when it is rotated.
      linkSync(secret, `${log}.1`)
      symlinkSync(secret, `${log}.2`)
      write('next\n')
      expect(await read()).toBe('next\n')
    })

    test.runIf(shell.inDepth || shell.name !== 'bash')(
      'are not what a link leads to beside a log that root reads',
      async () => {
        const kept = join(place, '../kept')
        mkdirSync(kept)
        writeFileSync(join(kept, 'log'), 'kept\n')
        linkSync(secret, log)
        symlinkSync(log, join(kept, 'link'))
        const machine = await (await Scene.open(shell)).machineFor('logs')
        const files = ['log', 'link', 'log'].map((name) => ({ path: join(kept, name), position: undefined }))
        const { parts } = await readFiles(machine, { files, bytes: 1000, lines: 3 })
        expect(parts.map(({ text }) => text)).toEqual(['kept\n', expect.stringMatching(/^davit: /), 'kept\n'])
      },
    )

    // Busybox would not run another `timeout`.
    test.runIf((shell.inDepth || shell.name !== 'bash') && shell.name !== 'busybox')(
      'are read for a bounded time, without the groups of root',
      async () => {
        const tools = scratchDirectory()
        chmodSync(tools, 0o755)
        const script = `#!/bin/sh\necho "$2 $(echo "$*" | grep -o -e '--[a-z]*-groups.*')" >>'${tools}/calls'\nexec /usr/bin/timeout "$@"\n`
        writeFileSync(join(tools, 'timeout'), script, { mode: 0o755 })
        const scene = await Scene.open({ ...shell, path: `${tools}:${shell.path}` })
        chownSync(place, 4242, 4242)
        write('one\n', 4242)
        await readFiles(await scene.machineFor('logs'), {
          files: [{ path: log, position: undefined }],
          bytes: 9,
          lines: 3,
        })
        const calls = readFileSync(join(tools, 'calls'), 'utf8').trimEnd().split('\n')
        expect(calls.every((call) => call.startsWith('setpriv --clear-groups -- '))).toBe(true)
        const used = new Set(calls.map((call) => call.split(' ')[3]))
        expect(used).toEqual(new Set(['test', 'stat', 'date', 'tail', 'head']))
      },
    )

    test.runIf(shell.inDepth || shell.name !== 'bash')(
      'are read as root where only root decides what they are, whoever writes to them',
      async () => {
        chownSync(place, 0, 0)
        write('written\n')
        symlinkSync(log, join(place, 'link'))
        expect(await (await opened())()).toBe('written\n')
        expect(await (await opened())(join(place, 'link'))).toBe('written\n')
        lchownSync(join(place, 'link'), OWNERS[0], OWNERS[0])
        const read = await opened()
        expect(await read(log)).toBe('written\n')
        chmodSync(place, 0o777)
        chownSync(log, 0, 0)
        expect(await (await opened())()).toMatch(/^davit: '.*' is not read as root: everybody can write in/)
      },
    )

    testCalls(shell, 'logs-of-others')
  },
)
