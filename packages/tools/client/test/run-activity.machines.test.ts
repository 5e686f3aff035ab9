import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { removeTree, scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'

const programs = mkdtempSync(join(tmpdir(), 'davit-client-'))
let directory: string

beforeAll(async () => {
  const entryOf = (name: string) => fileURLToPath(new URL(`../src/bin-${name}.ts`, import.meta.url))
  const tools = ['client', 'run-activity'].map((name) => ({ name: `davit-${name}`, entry: entryOf(name) }))
  await bundleTools(tools, programs)
})
afterAll(() => removeTree(programs))
beforeEach(() => {
  directory = scratchDirectory()
  mkdirSync(join(directory, 'component'))
})

function run(tool: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const env = { ...environmentHere(), ...more }
  const words = [join(programs, `bin/davit-${tool}.cjs`), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, cwd: directory, encoding: 'utf8' })
  return { status, stdout, stderr }
}

function environmentHere() {
  const path = process.env['PATH'] ?? ''
  return { PATH: path, HOME: directory, TMPDIR: directory, DYSNOMIA_STATEDIR: join(directory, 'state') }
}

/** Makes a module that prints how it is called. */
function writeModule(
  text = 'printf "%s in %s: %s %s" "$1" "$3" "${port-}" "$(cat "${0%/*}/beside" 2>/dev/null)"',
): string {
  const path = join(directory, 'my-module')
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

describe('davit-run-activity', () => {
  test('tries a module of the user, which may read files beside it', () => {
    writeModule()
    writeFileSync(join(directory, 'beside'), 'neighbour')
    const words = ['--activate', '--module', './my-module', '--arguments', 'port=80', 'component']
    expect(run('run-activity', words)).toEqual({
      status: 0,
      stdout: 'activate in my-module: 80 neighbour',
      stderr: '',
    })
  })

  test('is called as Dysnomia is', () => {
    writeModule()
    const words = ['--operation', 'status', '--component', 'component', '--container', 'box', '--environment']
    expect(run('run-activity', [...words, '--module', 'my-module'], { port: '81' }).stdout).toBe('status in box: 81 ')
    expect(run('run-activity', [...words.slice(0, -1), '--module', 'my-module'], { port: '81' }).stdout).toBe(
      'status in box:  ',
    )
  })

  test('fails as the module does, and runs commands in its environment', () => {
    writeModule('echo no; exit 70')
    expect(run('run-activity', ['--deactivate', '--module', 'my-module', 'component'])).toEqual({
      status: 1,
      stdout: 'no\n',
      stderr: "davit-run-activity: 'deactivate' of 'component' in 'my-module' ended with status 70 [failed]\n",
    })
    const command = 'echo "$port in $this_container: $this_component"; exit 7'
    const words = ['--shell', '--module', 'my-module', '--arguments', 'port=80', '--command', command, 'component']
    expect(run('run-activity', words)).toMatchObject({
      status: 7,
      stdout: `80 in my-module: ${directory}/component\n`,
    })
  })

  test('says when it is interrupted that the module goes on', async () => {
    writeModule(
      ': >began; until [ -e go ] || [ ! -e began ]; do sleep .05; done; : >done'.replace(
        /began|go\b|done$/g,
        `${directory}/$&`,
      ),
    )
    const words = [join(programs, 'bin/davit-run-activity.cjs'), '--activate', '--module', 'my-module', 'component']
    const child = spawn(process.execPath, words, { env: environmentHere(), cwd: directory })
    const stderr = text(child.stderr)
    await until(() => existsSync(join(directory, 'began')))
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(await stderr).toContain('interrupted: no longer waiting for what is running there\n')
    expect(await stderr).toContain('an activity that has begun goes on there')
    expect(existsSync(join(directory, 'done'))).toBe(false)
    writeFileSync(join(directory, 'go'), '')
    await until(() => existsSync(join(directory, 'done')))
  })

  test('tells why a module cannot be called', () => {
    const words = ['--activate', '--module', './my-module', 'component']
    expect(run('run-activity', words)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/there is no module '.*\/my-module'.*\n.*--module/) as string,
    })
    chmodSync(writeModule(), 0o644)
    expect(run('run-activity', words).stderr).toMatch(/the module '.*\/my-module' is not executable .*\n.*chmod \+x/)
  })

  test('leaves no marker of a component that does not exist', () => {
    writeModule()
    const { status, stderr } = run('run-activity', ['--activate', '--module', 'my-module', './nosuch'])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/there is no component '.*nosuch'/) as string])
    expect(existsSync(join(directory, 'state'))).toBe(false)
  })

  test.each([
    ['.', "cannot read '.': it is a directory"],
    ['none', "cannot read 'none': no such file or directory"],
  ])('names %s, which is no file to import', (path, reason) => {
    const { status, stderr } = run('run-activity', ['--import', '--localfile', path])
    expect([status, stderr]).toEqual([66, expect.stringContaining(reason)])
    expect(stderr).toContain("hint: name a file that 'nix-store --export' has written")
  })

  test('removes snapshots without a warning', () => {
    for (const name of ['one', 'two']) {
      mkdirSync(join(directory, name))
      writeFileSync(join(directory, name, 'dump'), name)
      const words = ['--import-snapshots', '--localfile', '--container', 'box', '--component', 'db', name]
      expect(run('run-activity', words).status).toBe(0)
    }
    expect(run('run-activity', ['--clean-snapshots'])).toEqual({
      status: 0,
      stdout: '',
      stderr: "removing the snapshot 'box/db/one'\n",
    })
  })

  test.each([
    [['--module', 'm', '--type', 't', 'x'], '--module and --type exclude each other'],
    [['--type', 't', '--container', '../../evil', 'x'], "'../../evil' is not the name of a container"],
    [['--type', 't', '--container', '/a/../evil', 'x'], 'is not the name of a container'],
  ])('refuses %j', (words, reason) => {
    const { status, stderr } = run('run-activity', ['--activate', ...words])
    expect([status, stderr]).toEqual([64, expect.stringContaining(reason) as string])
  })

  test('ignores a target, as the tools of Disnix name one', () => {
    const words = [
      '--target',
      'nowhere',
      '--activate',
      '--container',
      'echo',
      '--type',
      'echo',
      '--arguments',
      'x=1',
      'component',
    ]
    expect(run('run-activity', words).stdout).toMatch(/^activate .*component in echo\n[^]*\nx=1\n/)
  })
})

test.each([
  [['--target', 'h'], 'no operation is given'],
  [['--target', 'h', '--activate', '--restore', 'x'], '--activate and --restore exclude each other'],
  [['--activate', '--type', 't', 'x'], "missing option '--target'"],
  [['--target', 'h', '--activate', 'x'], 'no type is given'],
  [['--target', 'h', '--activate', '--type', 't'], 'no path is given'],
  [['--target', 'h', '--activate', '--type', 't', 'x', 'y'], "unexpected operand 'y'"],
  [['--target', 'h', '--activate', '--type', 't', '--arguments', 'x', 'y'], "'x' is not a property"],
  [['--target', 'h', '--activate', '--type', 't', '--arguments', 'a-b=c', 'y'], "'a-b=c' is not a property"],
  [['--target', '', '--activate', '--type', 't', 'x'], 'the target is empty'],
  [['--target', 'h', '--import', 'x'], 'neither --localfile nor --remotefile'],
  [['--target', 'h', '--import-snapshots', '--localfile', 'x'], 'the snapshots belong to no component'],
  [['--target', 'h', '--lock', '-p', '../x'], 'not a valid name'],
])('davit-client %j is refused before it connects', (words, reason) => {
  const { status, stderr } = run('client', words)
  expect(stderr).toContain(reason)
  expect(status).toBe(64)
})
