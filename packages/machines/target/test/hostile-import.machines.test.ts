import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'

import { removeTree } from '@davit/files'
import { storeLayout } from '@davit/store'
import { shellConnection } from '@davit/connection/testing'
import { shellsWithUtilities } from '@davit/testing/shells'
import { type TarBlock, tarOf } from '@davit/testing/tar-blocks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { importArchive, missingNames } from '../src/native/import.ts'
import { type Machine, openMachine } from '../src/target.ts'

const NAME = `${'0'.repeat(32)}-web`
const signal = new AbortController().signal

describe.each(shellsWithUtilities())('with $name', (shell) => {
  let directory: string
  let machine: Machine<'carry'>
  /** Changes the bytes that are sent. */
  let onTheWay: (bytes: Buffer) => Buffer

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-import-'))
    mkdirSync(join(directory, 'outside'))
    onTheWay = (bytes) => bytes
    const connection = shellConnection(shell, join(directory, 'state'))
    machine = await openMachine(async () => ({ ...connection, run: runAltering }), { role: 'carry' })
    async function runAltering(script: string) {
      const channel = await connection.run(script)
      const altering = new Transform({ transform: (chunk: Buffer, _, done) => done(null, onTheWay(chunk)) })
      altering.pipe(channel.stdin)
      return { ...channel, stdin: altering }
    }
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  const layout = () => storeLayout(join(directory, 'store'))
  const importing = (names: readonly string[], ...blocks: readonly TarBlock[]) =>
    importArchive(machine, layout(), {
      archive: Readable.from([tarOf(...blocks)]),
      names,
      protect: [],
      needs: [],
      signal,
    })

  async function expectNothing() {
    expect(await missingNames(machine, layout(), { names: [NAME] })).toEqual([NAME])
    expect(readdirSync(layout().incoming)).toEqual([])
    expect(readdirSync(join(directory, 'outside'))).toEqual([])
    expect(readdirSync(directory).toSorted()).toEqual(['outside', 'store'])
    expect(readdirSync(layout().directory)).toEqual(['.davit'])
  }

  test('an archive that was changed on the way is refused', async () => {
    onTheWay = (bytes) => Buffer.from(bytes.toString('latin1').replace('honest', 'forged'), 'latin1')
    await expect(importing([NAME], { name: `paths/${NAME}`, type: '0', content: 'honest' })).rejects.toMatchObject({
      code: 'import-failed',
      message: expect.stringContaining('what arrived differs from what was sent'),
    })
    await expectNothing()
  })

  test.each<readonly [string, (outside: string) => readonly TarBlock[]]>([
    ['above', () => [{ name: '../../../../outside/x', type: '0', content: 'x' }]],
    ['above, from inside', () => [{ name: `paths/${NAME}/../../../../../../outside/x`, type: '0', content: 'x' }]],
    ['anywhere', (outside) => [{ name: `${outside}/x`, type: '0', content: 'x' }]],
    [
      'through a link',
      (outside) => [
        { name: 'way', type: '2', linkname: outside },
        { name: 'way/x', type: '0', content: 'x' },
      ],
    ],
    [
      'through a link in place of its own directory',
      (outside) => [
        { name: 'paths', type: '2', linkname: outside },
        { name: 'paths/x', type: '0', content: 'x' },
      ],
    ],
  ])('an archive writes nothing %s', async (_, blocks) => {
    const outside = join(directory, 'outside')
    await importing([NAME], ...blocks(outside)).catch(() => {})
    await expectNothing()
  })

  test.runIf(shell.inDepth)('paths and hidden names do not become valid', async () => {
    mkdirSync(layout().registrations, { recursive: true })
    writeFileSync(join(layout().registrations, 'kept.json'), '{}')
    for (const name of ['../outside', '..', '.', '.davit', `${NAME}/../../x`, `${NAME}/x`, '-x', '$(touch\tx)', '*']) {
      const blocks = [`${NAME}/`, '.davit/', '-x/'].map((directory) => ({ name: `paths/${directory}`, type: '5' }))
      await expect(importing([name], ...blocks), `as '${name}'`).rejects.toMatchObject({ code: 'bad-request' })
    }
    expect(readdirSync(layout().registrations)).toEqual(['kept.json'])
    expect(readdirSync(directory).toSorted()).toEqual(['outside', 'store'])
    expect(readdirSync(layout().directory)).toEqual(['.davit'])
  })

  test.runIf(shell.inDepth)('a name that begins like another is another', async () => {
    await expect(importing([NAME], { name: `paths/${NAME}-evil`, type: '0', content: 'x' })).rejects.toMatchObject({
      code: 'incomplete-archive',
      message: `the archive lacks '${NAME}'`,
    })
    await expectNothing()
  })

  test.runIf(shell.inDepth)('a path without a record is refused', async () => {
    await expect(importing([NAME], { name: `paths/${NAME}`, type: '0', content: 'x' })).rejects.toMatchObject({
      code: 'incomplete-archive',
      message: `the archive lacks the record of '${NAME}'`,
    })
    await expectNothing()
  })
})
