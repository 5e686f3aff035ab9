import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { graphOf, renderDot, renderSvg } from '@davit/picture'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { GUESTBOOK, manifestOf, type SystemSpec } from '@davit/transition/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const MOVED: SystemSpec = { services: { ...GUESTBOOK.services, store: { on: ['web/process'] } } }

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  writeFileSync(join(directory, 'old.xml'), encodeDocument(Manifest, manifestOf(GUESTBOOK), 'xml'))
  writeFileSync(join(directory, 'new.xml'), encodeDocument(Manifest, manifestOf(MOVED), 'xml'))
  writeFileSync(join(directory, 'text.xml'), 'digraph')
})

const visualize = async (argv: readonly string[], input = encodeDocument(Manifest, manifestOf(GUESTBOOK), 'json')) => {
  const files = argv.map((word) => (word.endsWith('.xml') ? join(directory, word) : word))
  const ended = await runHere(tool, files, { environment: { DAVIT_STATE_DIR: join(directory, 'state') }, input })
  return { ...ended, stderr: ended.stderr.replaceAll(`${directory}/`, '') }
}

async function deploy(): Promise<void> {
  const manifest = manifestOf(GUESTBOOK)
  await addGeneration(deploymentPlace(join(directory, 'state'), 'default' as ProfileName), {
    manifest,
    text: encodeDocument(Manifest, manifest, 'json'),
    origin: { time: new Date(0), user: 'root', host: 'desk' },
  })
}

const GRAPH = graphOf(manifestOf(GUESTBOOK), { title: 'old.xml' })

describe('davit-visualize', () => {
  test('prints the same text for Graphviz for a file, standard input and what is deployed', async () => {
    const expected = { status: 0, stdout: renderDot(GRAPH, { containers: true }), stderr: '' }
    expect(await visualize(['old.xml'])).toEqual(expected)
    expect(await visualize(['-'])).toEqual(expected)
    await deploy()
    expect(await visualize([], 'not read')).toEqual(expected)
  })

  test('names what a picture is of', async () => {
    expect((await visualize(['--format=svg', 'old.xml'])).stdout).toBe(renderSvg(GRAPH))
    expect((await visualize(['--format=svg', '-'])).stdout).toContain('<title>standard input</title>')
    await deploy()
    expect((await visualize(['--format=html'])).stdout).toContain('<title>default, generation 1</title>')
    const change = await visualize(['--format=svg', '--from', '-', 'new.xml'])
    expect(change.stdout).toContain('<title>standard input to new.xml</title>')
  })

  test('draws what changes between two manifests', async () => {
    const { stdout } = await visualize(['--from', 'old.xml', 'new.xml'])
    expect(stdout).toMatch(/label = "store", fillcolor="#6fa8ee", tooltip="moved from db"/)
    expect(stdout).toMatch(/label = "store", fillcolor="#c4d9f4", tooltip="moved to web", style="filled,dashed"/)
    await deploy()
    expect((await visualize(['--from', 'new.xml'])).stdout).toContain('tooltip="moved from web"')
  })

  test('leaves out containers in every format', async () => {
    for (const format of ['dot', 'svg', 'html']) {
      const [all, flat] = [
        await visualize(['--format', format, 'old.xml']),
        await visualize(['--format', format, '--no-containers', 'old.xml']),
      ]
      const label = format === 'dot' ? 'label="process"' : '>process</text>'
      expect([all.stdout.includes(label), flat.stdout.includes(label), flat.stdout.includes('store')]).toEqual([
        true,
        false,
        true,
      ])
    }
  })

  test.each([
    [[], 1, "nothing is deployed as 'default'"],
    [['-', '--from', '-'], 64, "only one manifest can be '-'"],
    [['gone.xml'], 66, "cannot read 'gone.xml': no such file"],
    [['text.xml'], 65, 'text.xml'],
    [['old.xml', '--from', 'text.xml'], 65, 'text.xml'],
    [['old.xml', '--format=png'], 64, 'png'],
  ])('refuses %j with status %i', async (argv, status, message) => {
    const ended = await visualize(argv)
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})
