import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type PlanDocument, type ProfileName } from '@davit/documents'
import { graphOf, renderDot, renderSvg } from '@davit/picture'
import { encodePlan, planDocument } from '@davit/review'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { observedOf, planTransition } from '@davit/transition'
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
  const files = argv.map((word) => (/\.(xml|json)$/.test(word) ? join(directory, word) : word))
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

function planOf(before: SystemSpec, after: SystemSpec): PlanDocument {
  const [previous, manifest] = [manifestOf(before), manifestOf(after)]
  const observed = observedOf(previous, previous.infrastructure)
  const transition = planTransition(manifest, observed, { previous, upgrade: 'upgrade' })
  const terms = { upgrade: 'upgrade', changed: 'keep', migration: 'none' } as const
  const asked = { takeOver: false, besideOriginal: false, undeploy: false }
  const head = { profile: 'shop' as ProfileName, against: 'targets', terms: { ...terms, ...asked }, manifest } as const
  return planDocument({ ...head, previous, observed, transition, messages: [], skipped: [] })
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

  test('draws what a saved plan changes, like the manifests that it leads from and to', async () => {
    const after = { ...MOVED, cores: { db: 1 } }
    writeFileSync(join(directory, 'plan.json'), encodePlan(planOf(GUESTBOOK, after)))
    writeFileSync(join(directory, 'after.xml'), encodeDocument(Manifest, manifestOf(after), 'xml'))
    const { stdout } = await visualize(['--from', 'old.xml', 'after.xml'])
    expect(await visualize(['--plan', 'plan.json'])).toEqual({ status: 0, stdout, stderr: '' })
    expect((await visualize(['--plan', 'plan.json', '--format=svg'])).stdout).toContain('<title>plan for shop</title>')
  })

  test('leaves out what was on a target that the manifest of a plan does not have', async () => {
    writeFileSync(join(directory, 'plan.json'), encodePlan(planOf(GUESTBOOK, MOVED)))
    const { stdout } = await visualize(['--plan', 'plan.json'])
    expect(stdout).toContain('label = "store", fillcolor="#6fa8ee"')
    expect(stdout).not.toContain('->  ')
    expect(stdout).not.toContain('moved to web')
  })

  test('shows by colour what davit-query has found', async () => {
    const [store, api, page] = [...manifestOf(GUESTBOOK).services.keys()]
    const found = (key: string | undefined, drift: readonly string[] = []) => {
      const drifts = drift.map((kind) => ({ kind, text: `it is ${kind}\u001b[2J` }))
      return { service: 's', key, container: 'process', state: 'active', drift: drifts }
    }
    const web = { target: 'web', services: [found(api, ['died']), found(page, ['changed'])], drift: [] }
    const db = { target: 'db', services: [found(store)], drift: [] }
    const inventory = { document: 'inventory', version: 1, profile: 'default', targets: [db, web] }
    const page1 = await visualize(['--status', '-', '--format=html', 'old.xml'], JSON.stringify(inventory))
    expect(page1).toMatchObject({ status: 0, stderr: '' })
    for (const text of ['recorded as active', 'it is died', 'it is changed']) expect(page1.stdout).toContain(text)
    // oxlint-disable-next-line no-control-regex
    expect(page1.stdout).not.toMatch(/\u001b/)
    const svg = await visualize(['--status', '-', '--format=svg', 'old.xml'], JSON.stringify(inventory))
    for (const kind of ['active', 'down', 'drifted']) expect(svg.stdout).toContain(`disc ${kind}`)
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
    [['-', '--from', '-'], 64, "only one document can be '-'"],
    [['-', '--status', '-'], 64, "only one document can be '-'"],
    [['old.xml', '--plan', 'plan.json'], 64, "'--plan' and a manifest cannot be combined"],
    [['--from', 'old.xml', '--plan', 'plan.json'], 64, "'--plan' and '--from' cannot be combined"],
    [['--plan', 'old.xml'], 65, 'old.xml'],
    [['old.xml', '--status', 'old.xml'], 65, 'old.xml'],
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
