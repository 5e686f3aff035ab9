import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { fits, type Schema } from '@davit/testing/json-schema'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { GUESTBOOK, manifestOf, type SystemSpec } from '@davit/transition/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const MOVED: SystemSpec = { services: { ...GUESTBOOK.services, store: { on: ['web/process'] } } }
const SCHEMA = new URL('../../../../docs/formats/schemas/difference.json', import.meta.url)

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write('old.xml', GUESTBOOK)
  write('old.json', GUESTBOOK)
  write('new.xml', MOVED)
})

function encoded(system: SystemSpec, format: 'xml' | 'json'): string {
  const { serviceMappings, ...manifest } = manifestOf(system)
  // JSON has the mappings in another order.
  const mappings = format === 'xml' ? serviceMappings : serviceMappings.toReversed()
  return encodeDocument(Manifest, { ...manifest, serviceMappings: mappings }, format)
}

function write(file: string, system: SystemSpec): void {
  writeFileSync(join(directory, file), encoded(system, file.endsWith('.xml') ? 'xml' : 'json'))
}

const compare = (argv: readonly string[], input?: string) => {
  const files = argv.map((word) => (/\.(xml|json)$/.test(word) ? join(directory, word) : word))
  const environment = { DAVIT_STATE_DIR: join(directory, 'state') }
  return runHere(tool, files, { environment, ...(input === undefined ? {} : { input }) }).then((ended) => ({
    ...ended,
    stderr: ended.stderr.replaceAll(`${directory}/`, ''),
  }))
}

async function deploy(system: SystemSpec): Promise<void> {
  const manifest = manifestOf(system)
  await addGeneration(deploymentPlace(join(directory, 'state'), 'default' as ProfileName), {
    manifest,
    text: encodeDocument(Manifest, manifest, 'json'),
    origin: { time: new Date(0), user: 'root', host: 'desk' },
  })
}

describe('davit-compare', () => {
  test('says that manifests do not differ in spite of their formats and orders', async () => {
    expect(await compare(['old.xml', 'old.json'])).toEqual({
      status: 0,
      stdout: '',
      stderr: "'old.xml' and 'old.json' do not differ\n",
    })
  })

  test('tells what differs, with status 1', async () => {
    const { status, stdout, stderr } = await compare(['old.xml', 'new.xml'])
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout).toContain('service store changed\n  moved: in process on db to in process on web\n')
    expect((await compare(['new.xml', 'old.xml'])).stdout).toContain('  moved: in process on web to in process on db\n')
  })

  test('compares what was deployed last with one manifest', async () => {
    await deploy(GUESTBOOK)
    const same = await compare([], encoded(GUESTBOOK, 'json'))
    expect(same).toEqual({ status: 0, stdout: '', stderr: "generation 1 and '<stdin>' do not differ\n" })
    expect(await compare(['new.xml'])).toEqual(await compare(['old.xml', 'new.xml']))
  })

  test('prints JSON with the names of the files, or the number of the generation', async () => {
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema
    await deploy(GUESTBOOK)
    for (const [argv, from] of [
      [['old.xml', 'new.xml'], join(directory, 'old.xml')],
      [['new.xml'], 1],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, stdout } = await compare([...argv, '--format=json'])
      const document: unknown = JSON.parse(stdout)
      expect([status, fits(schema, document)]).toEqual([1, true])
      expect(document).toMatchObject({ document: 'difference', from, to: join(directory, 'new.xml') })
    }
  })

  test.each([
    [['old.xml'], 1, "nothing is deployed as 'default'"],
    [['-', '-'], 64, "only one manifest can be '-'"],
    [['old.xml', 'gone.xml'], 66, "cannot read 'gone.xml': no such file"],
    [['old.xml', 'new.xml', 'old.json'], 64, "unexpected operand 'old.json'"],
  ])('refuses %j with status %i', async (argv, status, message) => {
    const ended = await compare(argv, encoded(GUESTBOOK, 'xml'))
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})
