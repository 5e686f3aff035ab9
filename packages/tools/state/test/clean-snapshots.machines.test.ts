import { mkdirSync, existsSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'

const scene = new Scene()

/** Three snapshots of `db`, here and there, and one of `files`. */
const saved = () =>
  scene.begin('saved', async () => {
    const file = await scene.deploy('one.json', scene.manifest({ db: 't1', files: 't2' }))
    for (const text of ['first', 'second', 'third']) {
      scene.setState('db', 't1', text)
      await scene.output('snapshot')
    }
    return file
  })

const counts = async () => [
  (await scene.names('targets', '-S', 'db')).length,
  (await scene.names('coordinator', '-S', 'db')).length,
  (await scene.snapshots('-S', 'files')).length,
]

describe('davit-clean-snapshots', () => {
  const rows: readonly (readonly [readonly string[], readonly number[]])[] = [
    [
      ['--keep', '1'],
      [1, 1, 2],
    ],
    [
      ['--keep', '2'],
      [2, 2, 2],
    ],
    [
      ['--keep', '2', '--where', 'targets'],
      [2, 3, 2],
    ],
    [
      ['--keep', '1', '--where', 'coordinator', '--deployed'],
      [3, 1, 2],
    ],
    [
      ['--keep', '0'],
      [0, 0, 0],
    ],
    [
      ['--keep', '0', '-C', 'files'],
      [3, 3, 0],
    ],
    [
      ['--keep', '0', '-c', 'other'],
      [3, 3, 2],
    ],
    [
      ['--keep', '2', 'one.json'],
      [2, 2, 2],
    ],
  ]
  test.each(rows)('with %j leaves %j', async (words, left) => {
    await saved()
    const options = words.map((word) => (word.endsWith('.json') ? scene.path(word) : word))
    const planned = await scene.output('clean-snapshots', '--dry-run', ...options)
    expect(await counts()).toEqual([3, 3, 2])
    const { status, stdout, stderr } = await scene.run('clean-snapshots', options)
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toBe(planned === 'nothing to do\n' ? '' : planned.replaceAll(/^remove /gm, 'removed '))
    expect(await counts()).toEqual(left)
    expect(await scene.output('clean-snapshots', '--dry-run', ...options)).toBe('nothing to do\n')
  })

  test.each(['xml', 'json'])(
    'reads the targets from an infrastructure in %s, and removes what is left over',
    async (language) => {
      const { infrastructure } = JSON.parse(scene.manifest({})) as { infrastructure: Record<string, unknown> }
      const only = { t1: infrastructure['t1'] }
      const xml = `<?xml version="1.0"?>\n<!-- <manifest> -->\n<infrastructure version="2"><target name="t1"><properties><property name="hostname" type="string">localhost</property></properties><containers/><system>x86_64-linux</system><numOfCores>1</numOfCores><clientInterface>local</clientInterface><targetProperty>hostname</targetProperty></target></infrastructure>\n`
      const text =
        language === 'xml' ? xml : JSON.stringify({ document: 'infrastructure', version: 2, infrastructure: only })
      const orphans = ['t1', 't2'].map((target) =>
        scene.path(`state/targets/${target}/dysnomia/snapshots/box/gone/orphan`),
      )
      for (const orphan of orphans) mkdirSync(orphan, { recursive: true })
      const ended = await scene.run('clean-snapshots', ['-', '--keep', '1'], { input: text })
      expect(ended).toEqual({ status: 0, stdout: '', stderr: 'removed what was left of box/gone on t1 (0 B)\n' })
      expect(orphans.map((orphan) => existsSync(orphan))).toEqual([false, true])
    },
  )

  test('leaves alone on targets what is not of the manifest, unless it is selected', async () => {
    await saved()
    const file = scene.write('other.json', scene.manifest({ files: 't1' }))
    await scene.output('clean-snapshots', '--keep', '0', '--where', 'targets', file)
    expect(await counts()).toEqual([3, 3, 1])
    await scene.output('clean-snapshots', '--keep', '0', '--where', 'targets', '-C', 'db', file)
    expect(await counts()).toEqual([0, 3, 1])
  })

  test('refuses a document that is neither', async () => {
    expect((await scene.run('clean-snapshots', ['-', '--keep', '1'], { input: '{}' })).status).toBe(65)
    expect((await scene.run('clean-snapshots', ['--deployed', 'x', '--keep', '1'])).status).toBe(64)
    expect(await scene.run('clean-snapshots', [])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("option '--keep' is missing") as string,
    })
  })
})
