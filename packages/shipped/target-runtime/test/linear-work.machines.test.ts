import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { isExhaustive, isThorough } from '@davit/testing/effort'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { helperText, operationsOf, type Role } from '../src/target-runtime.ts'

/** Sizes of a scene, each twice the one before. Larger ones show a square sooner. */
const SIZES: Sizes = isExhaustive || isThorough ? [40, 80, 160] : [20, 40, 80]
type Sizes = readonly [number, number, number]

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-linear-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** A state directory and a native store for one size. */
class Scene {
  readonly root: string
  readonly count: number

  constructor(count: number) {
    this.root = join(directory, String(count))
    this.count = count
    mkdirSync(this.root)
  }

  at(path: string): string {
    return join(this.root, path)
  }

  write(path: string, text = ''): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  link(path: string, to: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    symlinkSync(to, this.at(path))
  }

  each<Result>(make: (number: number) => Result): readonly Result[] {
    return Array.from({ length: this.count }, (_, index) => make(index + 1))
  }

  /**
   * Returns the answer to a request, and how much bash writes down of the work that it makes: each command, with all words and values,
   * so that a list that is copied for each of its elements counts as what it costs.
   */
  ask(role: Role, words: readonly string[]): { readonly answer: readonly string[]; readonly work: number } {
    const trace = this.at('trace')
    const { script: text } = helperText({ role, marker: 'marker', operations: operationsOf(role) })
    const script = `exec 99>'${trace}'; BASH_XTRACEFD=99; set -x\n${text}`
    const { stdout } = spawnSync('bash', ['-c', script], {
      input: `1 ${words.join(' ')}\n`,
      encoding: 'utf8',
      maxBuffer: 1e8,
      env: { PATH: process.env['PATH'], LC_ALL: 'C', DAVIT_STATE_DIR: this.at('state') },
    })
    return { answer: stdout.split('\nmarker\n')[1]?.trimEnd().split('\n') ?? [], work: statSync(trace).size }
  }
}

const hashOf = (number: number): string => String(number).padStart(32, '0')
const nameOf = (number: number): string => `${hashOf(number)}-package`
const snapshotOf = (number: number): string => String(number).padStart(64, 'f')
const COMPONENT = 'state/targets/t1/dysnomia'

function addSnapshots(scene: Scene): void {
  scene.each((number) => {
    scene.write(`${COMPONENT}/snapshots/box/db/${snapshotOf(number)}/listing`, 'x')
    scene.write(`${COMPONENT}/facts/box/db/${snapshotOf(number)}`, 'bytes 7\nname db\n')
    scene.link(`${COMPONENT}/generations/box/db/${number}`, `../../../snapshots/box/db/${snapshotOf(number)}`)
  })
}

function addRecords(scene: Scene): void {
  scene.each((number) => {
    const record = `state/targets/t1/active/default/box:${hashOf(number)}`
    scene.write(`${record}/record`, `pkg ${scene.at('store')}/${nameOf(number)}\nmodule /m\ncontainer box\n`)
    scene.write(`${record}/state`, 'active\n')
  })
}

function addPackages(scene: Scene): void {
  scene.each((number) => {
    const reference = number === scene.count ? '' : `"${scene.at('store')}/${nameOf(number + 1)}"`
    scene.write(`store/${nameOf(number)}`)
    scene.write(`store/.davit/registrations/${nameOf(number)}.json`, `{"references":[${reference}]}\n`)
    scene.link(`store/.davit/roots/temporary:${nameOf(number)}`, `${scene.at('store')}/${nameOf(number)}`)
  })
  mkdirSync(scene.at('store/.davit/logs'), { recursive: true })
}

const places = (scene: Scene): readonly string[] => {
  const store = scene.at('store')
  return [store, ...['incoming', 'registrations', 'roots'].map((name) => `${store}/.davit/${name}`)]
}

interface Case {
  readonly role: Role
  readonly sizes?: Sizes
  readonly prepare: (scene: Scene) => void
  readonly request: (scene: Scene) => readonly string[]
  /** How many lines the answer has, if that shows whether it is right. */
  readonly lines?: number
  /** A line that an answer of this size contains. */
  readonly line: (scene: Scene) => string
}

const OLD = new Date(Date.now() - 3 * 86_400_000)

const CASES: Readonly<Record<string, Case>> = {
  'listing snapshots': {
    role: 'state',
    prepare: addSnapshots,
    request: () => ['snapshots', 'targets/t1'],
    line: ({ count }) => `1 + generation box db ${count} ${snapshotOf(count)} `,
  },
  'cleaning snapshots': {
    role: 'state',
    prepare: addSnapshots,
    request: ({ count }) => ['clean_snapshots', 'targets/t1', String(count / 2), 'box', 'db'],
    line: ({ count }) => `1 + freed ${count / 2} ${count / 2}`,
  },
  'showing what cleaning would remove': {
    role: 'state',
    prepare: addSnapshots,
    request: ({ count }) => ['clean_snapshots', 'targets/t1', String(count / 2), 'box', 'db', '--dry-run'],
    line: ({ count }) => `1 + removed ${count / 2}`,
  },
  'finding what a snapshot lacks': {
    role: 'state',
    prepare: addSnapshots,
    request: (scene) => [
      'snapshot_missing',
      'targets/t1',
      'box',
      'db',
      'new',
      ...scene.each((number) => `file\\0040${number}`),
    ],
    line: ({ count }) => `1 + missing file ${count}`,
  },
  'trimming generations of a profile': {
    role: 'collect',
    prepare: (scene) => {
      scene.each((number) => scene.link(`state/targets/t1/profiles/default/${number}-link`, `/store/${nameOf(number)}`))
      scene.link('state/targets/t1/profiles/default/current', '1-link')
    },
    request: (scene) => [
      'trim_profile',
      't1',
      'default',
      ...scene.each((number) => `/store/${nameOf(number + 1)}`).slice(1),
    ],
    lines: 2,
    line: () => '1 + removed 2-link',
  },
  'trimming logs': {
    role: 'collect',
    prepare: (scene) => {
      addRecords(scene)
      scene.each((number) => scene.write(`state/targets/t1/log/default/box:${hashOf(number)}.activate`, 'x'))
      scene.write('state/targets/t1/log/default/box:gone.activate.2', 'xy')
      const logs = scene.at('state/targets/t1/log/default')
      spawnSync('touch', ['-d', OLD.toISOString(), ...readdirSync(logs).map((name) => join(logs, name))])
    },
    request: () => ['trim_remnants'],
    lines: 2,
    line: ({ root }) =>
      `1 + log 2 ${Buffer.from(`${root}/state/targets/t1/log/default/box:gone.activate.2`).toString('hex')}`,
  },
  'surveying a store': {
    role: 'collect',
    prepare: addPackages,
    request: (scene) => ['native_survey', 'cksum', ...places(scene), scene.at('store/.davit/locks')],
    line: ({ count }) => `1 + kept ${nameOf(count)} temporary`,
  },
  'taking an inventory': {
    role: 'query',
    prepare: (scene) => {
      mkdirSync(scene.at('store/.davit'), { recursive: true })
      addRecords(scene)
    },
    request: () => ['inventory', 'default', 't1', '-'],
    line: ({ count, root }) => `1 + missing ${root}/store/${nameOf(count)}`,
  },
  'reading records': {
    role: 'deploy',
    prepare: addRecords,
    request: () => ['observe', 'default'],
    line: ({ count }) => `1 + mapping t1 active ended box:${hashOf(count)}`,
  },
  'looking for packages': {
    role: 'carry',
    prepare: addPackages,
    request: (scene) => [
      'native_missing',
      scene.at('store/.davit/registrations'),
      'names',
      ...scene.each((number) => nameOf(number + 1)),
    ],
    line: ({ count }) => `1 + ${nameOf(count + 1)}`,
  },
  'listing a closure': {
    role: 'carry',
    prepare: addPackages,
    request: (scene) => ['native_closure', scene.at('store/.davit/registrations'), nameOf(1)],
    line: () => '1 + registration {"references":[]}',
  },
  'listing the closure of many': {
    role: 'carry',
    // Registrations are read a hundred at a time.
    sizes: [100, 200, 400],
    prepare: addPackages,
    request: (scene) => ['native_closure', scene.at('store/.davit/registrations'), ...scene.each(nameOf)],
    line: () => '1 + registration {"references":[]}',
  },
}

describe('the work grows like what it is for:', () => {
  const expectLinear = (sizes: Sizes, workFor: (scene: Scene) => number) => {
    const [small = 0, middle = 0, large = 0] = sizes.map((size) => workFor(new Scene(size)))
    // Twice as much for what doubles; four times as much would be its square.
    expect((large - middle) / (middle - small)).toBeLessThan(2.5)
  }

  test.each(Object.entries(CASES))('%s', (_, { role, sizes = SIZES, prepare, request, lines, line }) => {
    expectLinear(sizes, (scene) => {
      prepare(scene)
      const { answer, work } = scene.ask(role, request(scene))
      expect(answer.at(-1)).toBe('1 =')
      expect(answer).toHaveLength(lines ?? answer.length)
      expect(answer.some((one) => one.startsWith(line(scene)))).toBe(true)
      return work
    })
  })

  test('collecting garbage', () => {
    expectLinear(SIZES, (scene) => {
      addPackages(scene)
      rmSync(scene.at('store/.davit/roots'), { recursive: true })
      mkdirSync(scene.at('store/.davit/roots'))
      const given = [...places(scene), scene.at('store/.davit/locks')]
      const survey = scene.ask('collect', ['native_survey', 'cksum', ...given])
      const sum = survey.answer.find((one) => one.startsWith('1 + sum ')) ?? ''
      const words = [sum.slice('1 + sum '.length), ...given, scene.at('store/.davit/logs'), ...scene.each(nameOf)]
      const { answer, work } = scene.ask('collect', ['native_collect', 'cksum', ...words, 'rubbish'])
      expect(answer).toEqual(['1 + collected', '1 ='])
      expect(readdirSync(scene.at('store/.davit/registrations'))).toEqual([])
      expect(readdirSync(scene.at('store'))).toEqual(['.davit'])
      return work
    })
  })
})

test('rubbish that has become valid in the meantime is not removed', () => {
  const scene = new Scene(2)
  addPackages(scene)
  scene.write(`store/${nameOf(3)}`)
  const given = [...places(scene), scene.at('store/.davit/locks')]
  const survey = scene.ask('collect', ['native_survey', 'cksum', ...given])
  const sum = survey.answer.find((one) => one.startsWith('1 + sum ')) ?? ''
  const words = [sum.slice('1 + sum '.length), ...given, scene.at('store/.davit/logs')]
  const rubbish = ['rubbish', nameOf(1), nameOf(3)]
  expect(scene.ask('collect', ['native_collect', 'cksum', ...words, ...rubbish]).answer).toEqual([
    '1 + collected',
    '1 =',
  ])
  expect(readdirSync(scene.at('store')).toSorted()).toEqual(['.davit', nameOf(1), nameOf(2)])
})

test('what a module declares is reported up to what any module has', () => {
  const scene = new Scene(1)
  addRecords(scene)
  scene.write('module.activities', 'activate\n'.repeat(5000))
  const record = `state/targets/t1/active/default/box:${hashOf(1)}/record`
  scene.write(record, `pkg /p\nmodule ${scene.at('module')}\ncontainer box\n`)
  const { answer } = scene.ask('deploy', ['observe', 'default'])
  const [declared = ''] = answer.filter((line) => line.startsWith('1 + declares '))
  expect(declared.split(' ').filter((word) => word === 'activate')).toHaveLength(98)
})
