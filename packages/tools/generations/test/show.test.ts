import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type MadeFrom, parseDocument, MadeFrom as Format } from '@davit/documents'
import { patience, runs } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import { fits, type Schema } from '@davit/testing/json-schema'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { coordinator } from './scene.ts'

const schemaOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../docs/formats/schemas/${name}.json`, import.meta.url), 'utf8')) as Schema
const step = { step: 'activate web in process', service: 'web', target: 'front', container: 'process' }

const MADE_FROM: MadeFrom = {
  davit: '0.1.0',
  order: {
    tool: 'davit-env',
    began: '2026-11-20T09:59:50.000Z',
    directory: '/home/alice/shop',
    options: { services: 'services.yaml', 'take-over': true, lock: false, abandon: ['a', 'b'], 'max-jobs': 2 },
  },
  models: [
    { file: '/home/alice/shop/services.yaml', role: 'services', bytes: 4, sha256: 'a'.repeat(64), text: '{}\n\n' },
    { file: '/home/alice/shop/large.ts', bytes: 9_000_000, sha256: 'b'.repeat(64) },
    { file: '/home/alice/shop/parts/a.ts', bytes: 1, sha256: 'c'.repeat(64), text: 'a' },
    { file: '/home/alice/shop/more/a.ts', bytes: 1, sha256: 'd'.repeat(64), text: 'b' },
  ],
  transition: {
    manifest: 'e'.repeat(64),
    began: '2026-11-20T09:59:55.000Z',
    ended: '2026-11-20T09:59:57.460Z',
    steps: [
      { activity: 'deactivate', ...step, step: 'deactivate old in process', reasons: ['removed'], why: ['removed'] },
      { activity: 'activate', ...step, reasons: ['new'], why: ['new'] },
    ],
    messages: [
      { kind: 'warning', code: 'not-activated', message: "'web' on 'back' is not activated" },
      { kind: 'note', code: 'x', message: 'two\nlines\u001b', target: 'front' },
    ],
  },
}

function isSound(text: string): boolean {
  try {
    parseDocument(Format, text, { file: 'made-from' })
    return true
  } catch {
    return false
  }
}

let { place, add, run } = {} as ReturnType<typeof coordinator>
beforeEach(() => void ({ place, add, run } = coordinator()))

describe('davit-generations --show', () => {
  test.each(['davit-reconstruct', 'davit-adopt'])('tells the operand of %s as it was given', async (tool) => {
    const options = { infrastructure: 'infrastructure.yaml', set: true, closures: true }
    await add('a', { madeFrom: { order: { ...MADE_FROM.order!, tool, options } } })
    const { stdout } = await run('--show', '1')
    expect(stdout).toContain('/home/alice/shop\n  --closures\n  infrastructure.yaml\n  --set\n')
  })

  test('tells what a generation was made from, by whom, and what was done', async () => {
    await add('a', { madeFrom: MADE_FROM, sudoUser: 'alice' })
    expect(await run('--show', '1')).toEqual({
      stderr: [],
      stdout: `   1  2026-11-20 10:00:00 UTC  0 services on 0 targets, by root on desk  (current)
davit: 0.1.0
by: alice, with sudo
command: davit-env, begun 2026-11-20 09:59:50 UTC in /home/alice/shop
  --abandon=a
  --abandon=b
  --no-lock
  --max-jobs=2
  --services=services.yaml
  --take-over
models:
  services: /home/alice/shop/services.yaml, 4 bytes, sha256 aaaaaaaaaaaa
  imported: /home/alice/shop/large.ts, 9000000 bytes, sha256 bbbbbbbbbbbb, text not kept
  imported: /home/alice/shop/parts/a.ts, 1 byte, sha256 cccccccccccc
  imported: /home/alice/shop/more/a.ts, 1 byte, sha256 dddddddddddd
plan, carried out in 2.5 s: 1 activated, 1 deactivated
  deactivate old in process on front (removed)
  activate web in process on front (new)
reported:
  warning: 'web' on 'back' is not activated
  [front] note: two\\nlines\\u001b
`,
    })
  })

  test('prints all of it as JSON', async () => {
    await add('a', { madeFrom: MADE_FROM, sudoUser: 'alice' })
    const document = JSON.parse((await run('--show', '1', '--format', 'json')).stdout) as object
    expect(fits(schemaOf('generation'), document)).toBe(true)
    expect(document).toEqual({
      document: 'generation',
      version: 1,
      profile: 'default',
      number: 1,
      isCurrent: true,
      isReadable: true,
      time: '2026-11-20T10:00:00.000Z',
      user: 'root',
      sudoUser: 'alice',
      host: 'desk',
      services: 0,
      targets: 0,
      madeFrom: MADE_FROM,
    })
    expect(fits(schemaOf('generation'), { ...document, madeFrom: { models: [{}] } })).toBe(false)
  })

  test('tells what little is known of a generation that the tools added one by one, or that an earlier version added', async () => {
    await add('a', { madeFrom: { davit: '0.1.0' } })
    expect((await run('--show', '1')).stdout).toMatch(
      /\ndavit: 0\.1\.0\ncommand: unknown, since the tools were called one by one\nplan: unknown\n$/,
    )
    await add('b')
    rmSync(join(place, 'generations/2/origin.json'))
    const { stdout, stderr } = await run('--show', '2')
    expect([stdout, stderr]).toEqual([
      expect.stringMatching(/^ {3}2 {2}[^\n]* \(current\)\nmade from: unknown, since nothing was kept with it\n$/),
      [],
    ])
    expect((await run('--show', '7')).stderr).toEqual(['there is no generation 7 [no-generation]'])
  })

  test('prints the compiled stack, of a generation or of the current one', async () => {
    expect(await run('--current', '--stack')).toEqual({ stdout: '', stderr: [] })
    await add('a', { madeFrom: { ...MADE_FROM, stack: '{ "document": "stack" }\n' } })
    for (const words of [['--show', '1'], ['--current']]) {
      expect(await run(...words, '--stack')).toEqual({ stdout: '{ "document": "stack" }\n', stderr: [] })
    }
    expect((await run('--show', '1')).stdout).toContain('\nstack: kept, for --stack\n')
    await add('b', { madeFrom: MADE_FROM })
    expect(await run('--current', '--stack')).toEqual({ stdout: '', stderr: [] })
    expect((await run('--show', '2', '--stack')).stderr).toEqual([
      'the generation was not made from a stack, as far as is known [no-model]',
    ])
    writeFileSync(join(place, 'generations/2/made-from.json'), '{')
    const { stdout, stderr } = await run('--current', '--stack')
    expect([stdout, stderr]).toEqual(['', [expect.stringContaining('cannot tell what generation 2 was made from')]])
    expect((await run('--stack')).stderr).toEqual(["option '--stack' belongs to '--show' or '--current' [usage]"])
    expect((await run('--show', '1', '--stack', '--model', 'a')).stderr).toEqual([
      "options '--stack' and '--model' cannot be combined [usage]",
    ])
  })

  test('prints a model as it was read, named by any end of its path', async () => {
    await add('a', { madeFrom: MADE_FROM })
    const model = (name: string) => run('--show', '1', '--model', name)
    for (const name of ['services.yaml', 'shop/services.yaml', '/home/alice/shop/services.yaml']) {
      expect(await model(name)).toEqual({ stdout: '{}\n\n', stderr: [] })
    }
    expect((await model('ervices.yaml')).stderr).toEqual([
      "the generation was not made from a model 'ervices.yaml' [no-model]",
    ])
    expect((await model('a.ts')).stderr).toEqual(["several models are named 'a.ts' [no-model]"])
    expect((await model('parts/a.ts')).stdout).toBe('a')
    expect((await model('large.ts')).stderr).toEqual([
      "only the checksum of '/home/alice/shop/large.ts' was kept: its models are too long [no-model]",
    ])
    await add('b')
    expect((await run('--show', '2', '--model', 'a')).stderr).toEqual([
      "the generation was not made from a model 'a' [no-model]",
    ])
    expect((await run('--model', 'a')).stderr).toEqual(["option '--model' belongs to '--show' [usage]"])
  })

  test('whatever the file holds, it is text that draws nothing, or a warning', patience, async () => {
    await add('a', { madeFrom: MADE_FROM })
    const file = join(place, 'generations/1/made-from.json')
    const sound = readFileSync(file, 'utf8')
    const withText = awkwardText.map((text) => sound.replace('/home/alice/shop', JSON.stringify(text).slice(1, -1)))
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutationsOf([sound]), withText, awkwardText), async (text) => {
        writeFileSync(file, text)
        const { stdout, stderr } = await run('--show', '1')
        // oxlint-disable-next-line no-control-regex
        expect(stdout).toMatch(/^ {3}1 {2}[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]*\n$/)
        const complaint = expect.stringContaining('cannot tell what generation 1 was made from') as string
        expect(stderr).toEqual(isSound(text) ? [] : [complaint])
      }),
      runs(100),
    )
  })
})

describe('davit-generations --format json', () => {
  test('lists the generations', async () => {
    await add('a')
    await add('b')
    writeFileSync(join(place, 'generations/1/manifest'), '{')
    const document = JSON.parse((await run('--format', 'json')).stdout) as object
    expect(fits(schemaOf('generations'), document)).toBe(true)
    expect(document).toMatchObject({
      profile: 'default',
      generations: [
        { number: 1, isCurrent: false, isReadable: false },
        { number: 2, isCurrent: true, isReadable: true, user: 'root', host: 'desk', services: 0 },
      ],
    })
  })
})

describe('davit-generations --diff', () => {
  test('compares two generations, or one with the current one', async () => {
    await add('a')
    await add('b')
    await add('c')
    const store = (from: string, to: string) => `store changed: native /store/${from} to native /store/${to}\n`
    expect(await run('--diff', '1', '2')).toEqual({ stdout: store('a', 'b'), stderr: [] })
    expect(await run('--diff', '2', '1')).toEqual({ stdout: store('b', 'a'), stderr: [] })
    expect(await run('--diff', '1')).toEqual({ stdout: store('a', 'c'), stderr: [] })
    expect(await run('--diff', '3')).toEqual({ stdout: '', stderr: ['generations 3 and 3 do not differ'] })
    const document = JSON.parse((await run('--diff', '1', '--format', 'json')).stdout) as object
    expect(fits(schemaOf('difference'), document)).toBe(true)
    expect(document).toMatchObject({ from: 1, to: 3, store: { to: { directory: '/store/c' } } })
  })

  test.each([
    [['--diff', '1', '7'], 'there is no generation 7 [no-generation]'],
    [['--diff', '7'], 'there is no generation 7 [no-generation]'],
    [['--diff', '1', 'x'], "'x' is not the number of a generation [usage]"],
    [['2'], "'2' belongs to no option [usage]"],
    [['--diff', '1', '--show', '1'], 'more than one action given [usage]'],
  ])('refuses %j', async (argv, message) => {
    await add('a')
    expect(await run(...argv)).toEqual({ stdout: '', stderr: [message] })
  })

  test('says so where nothing is deployed', async () => {
    expect((await run('--diff', '1')).stderr).toEqual(['there is no current generation [no-generation]'])
  })
})

describe('davit-generations --delete', () => {
  const DAY = 24 * 60 * 60 * 1000
  const kept = async () =>
    (JSON.parse((await run('--format', 'json')).stdout) as { generations: { number: number }[] }).generations.map(
      ({ number }) => number,
    )

  test.each([
    ['2', [1, 3, 4, 5]],
    ['1,3', [2, 4, 5]],
    ['1 4', [2, 3, 5]],
    // The second one was in use thirty days ago.
    ['30d', [2, 3, 4, 5]],
    ['15d', [3, 4, 5]],
    ['0d', [5]],
    ['old', [5]],
  ])('%s', async (selection, left) => {
    for (const [name, days] of [
      ['a', 50],
      ['b', 40],
      ['c', 20],
      ['d', 10],
      ['e', 1],
    ] as const) {
      await add(name, { time: new Date(Date.now() - days * DAY), madeFrom: MADE_FROM })
    }
    await run('--delete', selection)
    expect(await kept()).toEqual(left)
  })
})
