import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'

import { Database } from './database.ts'
import { fileset, targetOf, write } from './fileset.ts'
import { installedShells, scratchPath } from './scene.ts'
import { proveState, type StateKind } from './state-proofs.ts'
import { contentOf, type Stateful } from './stateful.ts'

/** Names at the top of a target, and everything in its mutable directories. */
const mutable = (target: string) =>
  existsSync(target)
    ? [
        ...readdirSync(target).filter((name) => name !== 'bin'),
        ...['files', 'more/inner'].flatMap((name) =>
          existsSync(join(target, name)) ? contentOf(join(target, name)) : [],
        ),
      ]
    : []

interface Disk {
  readonly places: (() => string)[]
}

const FILESET: StateKind<Disk, Stateful> = {
  module: 'fileset',
  missing: undefined,
  start: async () => ({ places: [] }),
  stop: async () => {},
  service({ places }, shell) {
    const scene = fileset(shell, 'mkdir files', 'mkdir more/inner')
    places.push(() => targetOf(scene))
    return scene
  },
  read: (_, scene) =>
    mutable(targetOf(scene))
      .filter((line) => line.includes('\t'))
      .join('\n'),
  change: (_, scene, word) => write(scene, { 'files/word': word, 'more/inner/word': word }),
  around: ({ places }) => places.flatMap((place) => mutable(place())).join('\n'),
  unloadable: [
    ['has no list', (snapshot) => rmSync(join(snapshot, 'directories')), /neither 'directories' nor 'state.tar.xz'/],
    ['lacks a directory', (snapshot) => rmSync(join(snapshot, '2'), { recursive: true }), /no proper directory '2'/],
    [
      'has a list that leads out',
      (snapshot) => writeFileSync(join(snapshot, 'directories'), '1 ../files\n'),
      /leaves the target directory/,
    ],
    [
      'has a link to a directory',
      (snapshot) => {
        rmSync(join(snapshot, '1'), { recursive: true })
        symlinkSync('/etc', join(snapshot, '1'))
      },
      /no proper directory '1'/,
    ],
  ],
  theirs: [['files that were there before', (_, scene) => write(scene, { 'files/word': 'theirs' })]],
  failures: [
    ['the owner does not exist', () => ({ filesetOwner: 'nobody-has-it' })],
    ['a pattern is not one', () => ({ snapshotExclude: '../x' })],
    ['nobody knows whose files are', () => ({ snapshotOwners: 'both' })],
  ],
  leaks: [],
  treasures: [
    {
      what: 'names of all kinds, links and empty directories',
      make(_, scene) {
        write(scene, { 'files/-x \'"$(y)\\*': '', 'files/.hidden/deep': 'deep' })
        mkdirSync(join(targetOf(scene), 'files/empty'), { mode: 0o710 })
        symlinkSync('../nowhere', join(targetOf(scene), 'files/link'))
      },
      ask: (_, scene) => contentOf(targetOf(scene)).join('\n'),
    },
  ],
  burdens: [],
  omissions: [],
  odd: [],
}

const noSubversion = spawnSync('svnadmin', ['--version']).status === 0 ? undefined : 'subversion is not installed'

const run = (program: string, argv: readonly string[], input?: string) => {
  const env = { ...process.env, HOME: scratchPath({}), LC_ALL: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync(program, argv, {
    encoding: 'latin1',
    maxBuffer: 1e8,
    env,
    ...(input === undefined ? {} : { input }),
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
const repositoryOf = (scene: Database) => join(scene.directory, 'base', scene.name)
const urlOf = (scene: Database) => `file://${repositoryOf(scene)}`
const dumpOf = (scene: Database) => run('svnadmin', ['dump', '-q', repositoryOf(scene)])
function commit(scene: Database, file: string, content: string | Buffer): void {
  const source = join(scratchPath({}), 'file')
  writeFileSync(source, content)
  run('svnmucc', ['-m', `changes ${file}`, 'put', source, `${urlOf(scene)}/${file}`])
}
const spoil = (change: (dump: string) => string) => (snapshot: string) => {
  const file = join(snapshot, 'dump')
  writeFileSync(file, change(readFileSync(file, 'latin1')), 'latin1')
}

const SUBVERSION: StateKind<Disk, Database> = {
  module: 'subversion-repository',
  missing: noSubversion,
  start: async () => ({ places: [] }),
  stop: async () => {},
  service({ places }, shell: Shell, name) {
    const scene = new Database(shell, 'subversion-repository', {
      name,
      seeds: {},
      properties: { PATH: `${shell.path}:/usr/bin` },
    })
    const svnBaseDir = scene.make('base')
    Object.assign(scene.properties, { svnBaseDir })
    places.push(() => svnBaseDir)
    return scene
  },
  read: (_, scene) => dumpOf(scene),
  change: (_, scene, word) => commit(scene, 'word', word),
  around: ({ places }) => places.flatMap((place) => readdirSync(place())).join('\n'),
  unloadable: [
    ['ends too early', (snapshot) => truncateSync(join(snapshot, 'dump'), 900), /nothing is changed|cannot be loaded/],
    ['has other content', spoil((dump) => dump.replace('\nkept', '\nswap')), /nothing is changed|cannot be loaded/],
    ['is none', spoil(() => 'rubbish\n'), /nothing is changed|cannot be loaded/],
    ['is missing', (snapshot) => rmSync(join(snapshot, 'dump')), /has no file 'dump'/],
    ['has a link', (snapshot) => symlinkSync('/etc/passwd', join(snapshot, 'link')), /neither a file nor a directory/],
  ],
  theirs: [
    [
      'a repository that was there before',
      (_, scene) => {
        run('svnadmin', ['create', repositoryOf(scene)])
        commit(scene, 'theirs', 'theirs')
      },
    ],
  ],
  failures: [['the group does not exist', () => ({ svnGroup: 'nobody-has-it' })]],
  leaks: [],
  treasures: [
    {
      what: 'properties, copies and binary files',
      make(_, scene) {
        commit(scene, 'binary', Buffer.from(Array.from({ length: 5000 }, (_value, index) => index % 256)))
        run('svnmucc', [
          '-m',
          'copies',
          'cp',
          'HEAD',
          `${urlOf(scene)}/binary`,
          `${urlOf(scene)}/b ü`,
          'propset',
          'color',
          'blue',
          `${urlOf(scene)}/binary`,
        ])
      },
      ask: (_, scene) => dumpOf(scene) + run('svnlook', ['uuid', repositoryOf(scene)]),
    },
  ],
  burdens: [
    {
      what: 'a large file',
      make: (_, scene) => commit(scene, 'large', Buffer.alloc(9_000_000, 'large ')),
      ask: (_, scene) => dumpOf(scene),
    },
    {
      what: 'a property that breaks the rules of today',
      make(_, scene) {
        const old = dumpOf(scene)
        const record = 'K 7\nsvn:log\nV 4\na\r\nb\nPROPS-END\n'
        const revision = Number(/Revision-number: (\d+)\n(?![^]*Revision-number)/.exec(old)?.[1] ?? 0) + 1
        const text = `SVN-fs-dump-format-version: 2\n\nRevision-number: ${revision}\nProp-content-length: ${record.length}\nContent-length: ${record.length}\n\n${record}\n`
        run('svnadmin', ['load', '-q', '--bypass-prop-validation', repositoryOf(scene)], text)
      },
      ask: (_, scene) => dumpOf(scene),
    },
  ],
  omissions: [
    {
      what: 'locks',
      make(_, scene) {
        commit(scene, 'locked', '')
        run('svn', ['lock', '--username', 'me', `${urlOf(scene)}/locked`])
      },
      status: 'left out',
      said: /locks are not kept: \/locked/,
    },
  ],
  odd: [],
}

const shells = installedShells()
proveState(FILESET, shells)
proveState(SUBVERSION, shells)
