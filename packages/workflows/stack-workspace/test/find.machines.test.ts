import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { findMufile } from '../src/find-mufile.ts'
import { listed } from '../src/listed.ts'
import { openStack, stackFiles } from '../src/stack-workspace.ts'
import { originOf, parseWorkspace } from '@davit/stack'
import { type Tree, writeTree } from './testing.ts'

function opened(tree: Tree, operand = '.') {
  const directory = scratchDirectory()
  writeTree(directory, tree)
  const { path, root, workspace, findings } = openStack(join(directory, operand), stackFiles(directory))
  const shown = (full: string | undefined) => full?.replace(directory, '.')
  return {
    path: shown(path),
    root: shown(root),
    clusters: [...workspace.clusters.keys()],
    findings: findings.map(({ code, subjects }) => [code, ...subjects]),
  }
}

test.each<
  [
    string,
    Tree,
    string,
    { path?: string | undefined; root?: string; findings?: readonly unknown[]; clusters?: readonly string[] },
  ]
>([
  ['json, yaml, yml in this order', { 'Mu.json': '{}', 'Mu.yaml': '', 'Mu.yml': '' }, '.', { path: './Mu.json' }],
  ['yaml before yml', { 'Mu.yaml': '', 'Mu.yml': '' }, '.', { path: './Mu.yaml' }],
  ['a parent', { 'Mu.yml': '', 'a/b/x': '' }, 'a/b', { path: './Mu.yml', root: './a/b' }],
  ['a file of any name', { 'a/stack.txt': '' }, 'a/stack.txt', { path: './a/stack.txt', root: './a' }],
  [
    'the workspace above',
    { 'Mu.yaml': '', 'Muspace.yaml': 'clusters: { c: {} }', 'a/Mu.yaml': '' },
    'a',
    { path: './a/Mu.yaml', root: '.', clusters: ['c'] },
  ],
  [
    'a workspace in .mu',
    { '.mu/workspace.yml': 'clusters: { c: {} }', 'Mu.yaml': '' },
    '.',
    { root: '.', clusters: ['c'] },
  ],
  [
    'Muspace before .mu',
    { '.mu/workspace.yml': 'clusters: { c: {} }', 'Muspace.json': '{"clusters":{"d":{}}}', 'Mu.yaml': '' },
    '.',
    { clusters: ['d'] },
  ],
  [
    'the nearest workspace',
    { 'Muspace.yaml': 'clusters: { far: {} }', 'a/Muspace.yaml': 'clusters: { near: {} }', 'a/b/Mu.yaml': '' },
    'a/b',
    { root: './a', clusters: ['near'] },
  ],
  [
    'the stack file beside the workspace file, where the search ends',
    { 'Mu.yaml': '', 'a/Mu.yaml': '', 'a/Muspace.yaml': '', 'a/b/c/x': '' },
    'a/b/c',
    { path: './a/Mu.yaml', root: './a', findings: [] },
  ],
  ['a file whose name is in other case', { 'mu.yaml': '' }, 'mu.yaml', { path: './mu.yaml', findings: [] }],
  [
    'the nearest workspace, whatever it is called',
    { 'Muspace.json': '{"clusters":{"far":{}}}', 'a/.mu/workspace.yaml': 'clusters: { near: {} }', 'a/b/Mu.yaml': '' },
    'a/b',
    { root: './a', clusters: ['near'] },
  ],
  [
    'the first of several workspace files',
    {
      '.mu/workspace.json': '{"clusters":{"b":{}}}',
      'Muspace.yml': 'clusters: { a: {} }',
      '.mu/workspace.yaml': 'clusters: { c: {} }',
      'Mu.yaml': '',
    },
    '.',
    { clusters: ['a'] },
  ],
  [
    'the first of several workspace files in .mu',
    {
      '.mu/workspace.json': '{"clusters":{"b":{}}}',
      '.mu/workspace.yaml': 'clusters: { c: {} }',
      '.mu/workspace.yml': 'clusters: { d: {} }',
      'Mu.yaml': '',
    },
    '.',
    { clusters: ['b'] },
  ],
  [
    'an end at the workspace',
    { 'Mu.yaml': '', 'a/Muspace.yaml': '', 'a/b/x': '' },
    'a/b',
    { path: undefined, root: './a', findings: [['MU100']] },
  ],
  [
    'a file in other case',
    { 'mu.yaml': '', 'a/Mu.yaml': '' },
    '.',
    { path: undefined, findings: [['MU101', 'mu.yaml'], ['MU100']] },
  ],
  [
    'other extensions',
    { Mu: '', 'Mu.txt': '', 'Mu.yaml': '', 'mu.txt': '' },
    '.',
    {
      path: './Mu.yaml',
      findings: [
        ['MU102', 'Mu'],
        ['MU102', 'Mu.txt'],
      ],
    },
  ],
  [
    'workspace files that are called almost so',
    { 'muspace.yaml': '', 'Muspace.toml': '', '.mu/workspace': '', 'Mu.yaml': '', 'Muspace.yaml': '' },
    '.',
    {
      root: '.',
      findings: [
        ['MU102', 'Muspace.toml'],
        ['MU101', 'muspace.yaml'],
      ],
    },
  ],
  [
    'the workspace file among those that are called almost so',
    {
      Muspace: 'clusters: { a: {} }',
      'Muspace.ini': 'clusters: { a: {} }',
      'Muspace.toml': 'clusters: { a: {} }',
      'Muspace.txt': 'clusters: { a: {} }',
      'Muspace.yml': 'clusters: { c: {} }',
      'muspace.yaml': 'clusters: { a: {} }',
    },
    '.',
    { clusters: ['c'] },
  ],
  [
    'workspace files in .mu that are called almost so',
    { '.mu/workspace.toml': '', '.mu/Workspace.yaml': '', '.mu/workspace.yml': '', 'Mu.yaml': '' },
    '.',
    {
      root: '.',
      findings: [
        ['MU101', 'Workspace.yaml'],
        ['MU102', 'workspace.toml'],
      ],
    },
  ],
  [
    'a directory of that name',
    { 'Mu.yaml/x': '', 'Mu.yml': '', 'Mu.d/x': '' },
    '.',
    { path: './Mu.yml', findings: [] },
  ],
  ['a broken workspace', { 'Mu.yaml': '', 'Muspace.yaml': '{' }, '.', { path: './Mu.yaml', findings: [['MU152']] }],
  ['nothing', {}, 'none', { path: undefined }],
])('openStack() takes %s', (_, tree, operand, expected) => {
  const result = opened({ ...tree, Muspace_end: '' }, operand)
  const known = Object.keys(expected) as (keyof typeof expected)[]
  for (const key of known) expect([key, result[key]]).toStrictEqual([key, expected[key]])
})

test.each([
  ['none', 'there is no such file or directory'],
  ['none/x', 'there is no such file or directory'],
  ['x'.repeat(256), 'the name is too long'],
])('openStack() says once why it cannot read the operand %.8s', (name, hint) => {
  const path = join(scratchDirectory(), name)
  const { findings, workspace } = openStack(path, stackFiles(path))
  expect(findings).toMatchObject([{ code: 'MU103', subjects: [path], hint }])
  expect(workspace.isPartial).toBe(true)
})

test.each([
  ['a link that leads nowhere is no stack file', 'none', 'Mu.yml'],
  ['a link that cannot be followed may be one', 'Mu.yaml', 'Mu.yaml'],
  ['a link to a file is one', 'Mu.yml', 'Mu.yaml'],
])('%s', (_, target, found) => {
  const directory = scratchDirectory()
  writeTree(directory, { 'Mu.yml': '' })
  symlinkSync(target, join(directory, 'Mu.yaml'))
  expect(openStack(directory, stackFiles(directory)).path).toBe(join(directory, found))
})

test('what is no directory is taken as a stack file, and reading it tells what it is', () => {
  const directory = scratchDirectory()
  writeTree(directory, { 'Mu.yaml': '' })
  const pipe = join(directory, 'pipe')
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
  expect(openStack(pipe, stackFiles(directory))).toMatchObject({ path: pipe, findings: [] })
})

test('only failures of the system are told as such', () => {
  expect(() => findMufile('\0')).toThrow(TypeError)
  expect(() => listed('\0', [])).toThrow(TypeError)
})

test.runIf(process.getuid?.() === 0)('in a directory that cannot be listed, files are found by their names', () => {
  const directory = scratchDirectory()
  const open = join(directory, 'open')
  writeTree(open, { 'Mu.yaml': '', 'mu.yml': '', 'Mu.toml': '' })
  chmodSync(directory, 0o711)
  chmodSync(open, 0o711)
  process.seteuid?.(NOBODY.uid)
  try {
    expect(listed(open, ['Mu.json', 'Mu.yaml'])).toStrictEqual({ kind: 'names', names: ['Mu.yaml'] })
  } finally {
    process.seteuid?.(0)
  }
})

test('openStack() says which files are not read, and where it has looked for others', () => {
  const directory = scratchDirectory()
  writeTree(directory, { 'Muspace.yaml': '', 'a/Mu.txt': '', 'a/mu.yaml': '', 'a/Muspace.toml': '' })
  const { findings } = openStack(join(directory, 'a'), stackFiles(directory))
  const told = findings.map(({ message, hint, place }) => `${place?.file}: ${message}; ${hint}`)
  expect(told.map((one) => one.replaceAll(directory, '.'))).toStrictEqual([
    "./a/Mu.txt: 'Mu.txt' is not read: its name has another extension; Mu.json, Mu.yaml, Mu.yml are read",
    "./a/mu.yaml: 'mu.yaml' is not read: its name is in other case; Mu.json, Mu.yaml, Mu.yml are read",
    "undefined: there is no stack file in './a' or above it; create Mu.yaml, or name the stack file or its directory",
    "./a/Muspace.toml: 'Muspace.toml' is not read: its name has another extension; Muspace.json, Muspace.yaml, Muspace.yml are read",
  ])
})

test('openStack() says which directory and which workspace file cannot be read', () => {
  const directory = scratchDirectory()
  writeTree(directory, { 'a/Mu.yaml': '' })
  writeFileSync(join(directory, 'Muspace.yaml'), Uint8Array.of(0xff))
  symlinkSync('.mu', join(directory, 'a/.mu'))
  const { workspace, findings } = openStack(join(directory, 'a'), stackFiles(directory))
  expect(workspace.isPartial).toBe(true)
  expect(findings).toMatchObject([
    { code: 'MU103', message: `cannot read '${join(directory, 'a/.mu')}'`, hint: expect.stringContaining('link') },
    { code: 'MU103', message: "cannot read 'Muspace.yaml'", hint: 'it is not text in UTF-8' },
  ])
})

test('stackFiles() reads text of bounded size, and nothing but files', () => {
  const directory = scratchDirectory()
  const { read, realPath, shown } = stackFiles(directory)
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(directory, name), content)
    return read(join(directory, name))
  }
  expect(file('a', 'text')).toStrictEqual({ kind: 'text', text: 'text' })
  expect(file('b', Uint8Array.of(0xff))).toStrictEqual({ kind: 'unreadable', reason: 'it is not text in UTF-8' })
  expect(file('c', 'x'.repeat(16 * 1024 * 1024 + 1))).toStrictEqual({
    kind: 'unreadable',
    reason: 'it is larger than 16 MiB',
  })
  expect(read(directory)).toStrictEqual({ kind: 'unreadable', reason: 'it is not a file' })
  expect(spawnSync('mkfifo', [join(directory, 'pipe')]).status).toBe(0)
  expect(read(join(directory, 'pipe'))).toStrictEqual({ kind: 'unreadable', reason: 'it is not a file' })
  expect(read(join(directory, 'none'))).toStrictEqual({ kind: 'absent' })
  expect(read(join(directory, 'a/b'))).toStrictEqual({ kind: 'absent' })
  expect([realPath(join(directory, 'none')), shown(join(directory, 'a/b')), shown('/etc/x')]).toStrictEqual([
    undefined,
    'a/b',
    '/etc/x',
  ])
  mkdirSync(join(directory, 'd'))
})

test.each([
  ['hub.mu.com/', 'acme/db', 'https://hub.mu.com/acme/db', ''],
  ['hub.mu.com/', 'acme/db/x/y', 'https://hub.mu.com/acme/db', 'x/y'],
  ['hub.mu.com/', 'db', 'https://hub.mu.com/db', ''],
  ['hub.mu.com/', 'corp/db', 'ssh://corp', 'db'],
  ['hub.mu.com/', 'corp/tools/c/d', 'ssh://tools', 'c/d'],
  ['hub.mu.com/', 'corp/tools/x', 'ssh://x', ''],
  ['hub.mu.com/', 'corporate/x', 'https://hub.mu.com/corporate/x', ''],
  ['git.corp.org/', 'a/b', 'ssh://other', 'b'],
])('originOf() goes from %s%s to its repository', (base, name, url, directory) => {
  const text =
    'repositories: { corp/...: "ssh://corp", corp/tools/...: "ssh://tools", corp/tools/x: "ssh://x", git.corp.org/a/...: "ssh://other" }'
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text })
  expect(originOf({ protocol: 'https://', base, name, spec: 'latest' }, workspace)).toMatchObject({ url, directory })
})
