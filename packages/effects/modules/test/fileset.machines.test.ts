import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { fileset, specify, targetOf, write } from './fileset.ts'
import { installedShells, shippedModule } from './scene.ts'
import { contentOf, exampleOf, Stateful } from './stateful.ts'

const shells = installedShells()

describe.concurrent.each(shells)('fileset under $name', (shell) => {
  test('keeps what was written to its directories, from the first activation to the last', async () => {
    const scene = fileset(shell, 'mkdir files')
    await scene.succeed('activate', 'activate', 'status')
    expect(scene.read('target/bin/hello')).toContain('hello')
    await scene.succeed('deactivate', 'deactivate')
    expect(readdirSync(targetOf(scene))).toEqual(['files'])
    expect(await scene.call('status')).toMatchObject({ status: 1 })
    await scene.succeed('activate')
    write(scene, { 'files/a': '1', 'files/b': '2' })
    const first = await scene.snapshot()
    expect(contentOf(await scene.snapshot())).toEqual(contentOf(first))
    write(scene, { 'files/c': '3' })
    const second = await scene.snapshot()
    expect(contentOf(second).length).toBe(contentOf(first).length + 1)
    await scene.succeed('deactivate', 'deactivate', 'collect-garbage', 'collect-garbage')
    expect(readdirSync(targetOf(scene))).toEqual([])
    for (const snapshot of [second, first]) {
      expect(await scene.restore(snapshot)).toEqual({ status: 0, stdout: '', stderr: '' })
      await scene.succeed('activate')
      expect(contentOf(await scene.snapshot())).toEqual(contentOf(snapshot))
    }
    expect(readdirSync(targetOf(scene))).toEqual(['bin', 'files'])
  })

  test('has rules for what is saved of it', async () => {
    const scene = fileset(shell, 'mkdir files', 'mkdir var/log')
    await scene.succeed('activate')
    const rules = async (properties: Readonly<Record<string, string>>) => {
      expect(await scene.call('snapshot', { DAVIT_SNAPSHOT: scene.make('dump'), ...properties })).toMatchObject({
        status: 0,
      })
      const text = scene.read('dump.rules')
      rmSync(join(scene.directory, 'dump'), { recursive: true })
      return text
    }
    const places = 'at 1 files\nat 2 var/log\n'
    expect(await rules({})).toBe(`owners numbers\n${places}`)
    expect(await rules({ snapshotExclude: 'files/*.tmp **/x' })).toBe(
      `owners numbers\nexclude files/*.tmp\nexclude **/x\n${places}`,
    )
    expect(await rules({ filesetOwner: 'root:root' })).toBe(`owners names\n${places}`)
    expect(await rules({ snapshotOwners: 'names' })).toBe(`owners names\n${places}`)
    expect(await scene.call('activate', { snapshotExclude: '/x' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("'/x' of snapshotExclude is not a relative path"),
    })
  })

  test('takes several directories in turn, whatever their names and those of their files', async () => {
    const odd = `-v'a "l" $(touch x) ü\\`
    const scene = fileset(shell, `mkdir ${odd}`, 'mkdir var/-n/log', 'mkdir none', 'mkdir var/-n/log/inner/')
    await scene.succeed('activate', 'status')
    write(scene, { [`${odd}/${odd}`]: odd, 'var/-n/log/inner/.hidden': 'x', 'var/-n/log/line\nbreak': '\0' })
    symlinkSync('/nowhere', join(targetOf(scene), 'var/-n/log/link'))
    rmSync(join(targetOf(scene), 'none'), { recursive: true })
    const before = contentOf(targetOf(scene))
    const snapshot = await scene.snapshot()
    expect(readdirSync(snapshot)).toEqual(['1', '2', 'directories'])
    expect(spawnSync('cat', [join(snapshot, 'directories')], { encoding: 'utf8' }).stdout).toBe(
      `1 ${odd}\n2 var/-n/log\n- none\n`,
    )
    await scene.succeed('deactivate', 'collect-garbage')
    write(scene, { 'none/late': 'goes away', [`${odd}/late`]: 'too' })
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    await scene.succeed('activate')
    expect(contentOf(targetOf(scene)).filter((line) => !line.startsWith('none\t'))).toEqual(before)
    expect(readdirSync(join(targetOf(scene), 'none'))).toEqual([])
  })

  test('restores a snapshot of Dysnomia', async () => {
    const scene = fileset(shell, 'mkdir files', 'mkdir var/log')
    await scene.succeed('activate')
    write(scene, { 'files/a': '1', 'var/log/b': '2' })
    const before = contentOf(targetOf(scene))
    const snapshot = scene.make('original')
    spawnSync('tar', ['-cJf', join(snapshot, 'state.tar.xz'), 'files', 'var/log'], { cwd: targetOf(scene) })
    await scene.succeed('deactivate', 'collect-garbage')
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    await scene.succeed('activate')
    expect(contentOf(targetOf(scene))).toEqual(before)
  })

  test('reports every mistake of the specification before it does anything', async () => {
    const wrong = fileset(
      shell,
      'mkdirs a',
      'mkdir /abs',
      'mkdir a/../../b',
      'mkdir .',
      'symlink relative',
      'target fine',
      'symlink /dev/null',
      'target ../up',
      'symlink /etc/passwd',
      'target bin',
      'symlink /etc/hello/',
      'target bin',
      'mkdir bin/passwd/below',
      'mkdir bin/passwd',
      'mkdir a\tb',
      'symlink /etc/last',
    )
    const { status, stderr } = await wrong.call('activate')
    const file = join(wrong.component, '.dysnomia-fileset')
    expect(status).toBe(1)
    expect(stderr.replaceAll(file, 'F').split('\n')).toEqual([
      "F:5: 'mkdirs' is not a directive: expected symlink, target or mkdir",
      "F:6: 'mkdir /abs' is not a path relative to the target directory",
      "F:7: 'mkdir a/../../b' leaves the target directory",
      "F:8: 'mkdir .' is the target directory itself",
      "F:9: 'symlink relative' is not an absolute path",
      "F:12: 'target ../up' leaves the target directory",
      "F:11: no 'target' follows this 'symlink'",
      'F:19: a path contains a control character',
      "F:20: no 'target' follows this 'symlink'",
      "F:16: there is another link 'bin/hello'",
      "F:14: 'bin/passwd' is a link, but something is to be below it",
      "F:14: 'bin/passwd' is a link and a directory",
      "fileset: cannot use 'F'",
      '',
    ])
    expect(existsSync(targetOf(wrong))).toBe(false)
    expect(await wrong.call('deactivate')).toMatchObject({ status: 0 })
    for (const activity of ['snapshot', 'restore', 'collect-garbage', 'status']) {
      expect(await wrong.call(activity)).toMatchObject({ status: 1 })
    }
  })

  test('refuses lines and lists that shells would take hours for', async () => {
    const long = fileset(shell, `symlink /a${'/'.repeat(9_000)}`)
    expect((await long.call('activate')).stderr).toContain('the line is longer than 8192 characters')
    const many = fileset(shell, ...Array<string>(10_001).fill(''))
    expect((await many.call('activate')).stderr).toContain('there are more than 10000 lines')
  })

  test('says what is missing or in its way, and undoes what it did', async () => {
    const scene = fileset(shell, 'symlink /nowhere/at/all', 'target x', 'mkdir files')
    const problems = async (properties = {}) => {
      const { status, stderr } = await scene.call('activate', properties)
      expect(status).toBe(1)
      expect(existsSync(targetOf(scene))).toBe(false)
      return stderr
    }
    expect(await problems()).toContain("'/nowhere/at/all', to which 'x/all' is to be a link, does not exist")
    expect(await problems({ targetDir: 'relative' })).toContain("'relative' is not an absolute path")
    expect(await problems({ filesetOwner: '-R x' })).toContain("filesetOwner '-R x' is not of the form USER:GROUP")
    specify(scene, 'mkdir a/files', 'mkdir b')
    expect(await problems({ filesetOwner: 'no-such-user' })).toContain('no-such-user')
    rmSync(join(scene.component, '.dysnomia-targetdir'))
    expect(await problems()).toContain('neither a property targetDir nor a file')
    rmSync(join(scene.component, '.dysnomia-fileset'))
    expect(await problems()).toContain('there is no such file')
  })

  test('takes nothing from others', async () => {
    const scene = fileset(shell, 'mkdir files', 'mkdir other/files')
    write(scene, { 'bin/hello': 'a file of somebody else' })
    expect((await scene.call('activate')).stderr).toContain("/target/bin/hello' is there already, and not a link")
    rmSync(join(targetOf(scene), 'bin/hello'))
    symlinkSync('/etc/passwd', join(targetOf(scene), 'bin/hello'))
    expect((await scene.call('activate')).stderr).toContain("is there already: a link to '/etc/passwd'")
    await scene.succeed('deactivate')
    expect(readlinkSync(join(targetOf(scene), 'bin/hello'))).toBe('/etc/passwd')
    rmSync(join(targetOf(scene), 'bin/hello'))
    symlinkSync('/gone/for/long', join(targetOf(scene), 'bin/hello'))
    symlinkSync(scene.make('elsewhere'), join(targetOf(scene), 'other'))
    expect((await scene.call('activate')).stderr).toContain("/target/other' is a symbolic link, expected a directory")
    expect(readdirSync(scene.make('elsewhere'))).toEqual([])
    rmSync(join(targetOf(scene), 'other'))
    await scene.succeed('activate')
    expect(readlinkSync(join(targetOf(scene), 'bin/hello'))).toBe(join(scene.component, 'bin/hello'))
  })

  test('fits what an older version wrote to the directories of a newer one', async () => {
    const scene = fileset(shell, 'mkdir a/b', 'mkdir c')
    await scene.succeed('activate')
    write(scene, { 'a/b/1': '1', 'c/2': '2' })
    const snapshot = await scene.snapshot()
    await scene.succeed('deactivate', 'collect-garbage')
    specify(scene, 'mkdir a', 'mkdir d')
    const { status, stderr } = await scene.restore(snapshot)
    expect([status, stderr]).toEqual([0, expect.stringMatching(/no mutable directory for these files.*\n\.\/c\/2\n$/)])
    await scene.succeed('activate')
    expect(scene.read('target/a/b/1')).toBe('1')
    expect(readdirSync(targetOf(scene))).toEqual(['a', 'bin', 'd'])
  })

  test('may have links in a directory that is state', async () => {
    const scene = fileset(shell, 'mkdir bin')
    await scene.succeed('activate')
    const snapshot = await scene.snapshot()
    await scene.succeed('deactivate')
    expect(readdirSync(targetOf(scene))).toEqual(['bin'])
    await scene.succeed('collect-garbage')
    expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
    rmSync(join(targetOf(scene), 'bin/hello'))
    symlinkSync('/etc/passwd', join(targetOf(scene), 'bin/hello'))
    await scene.succeed('activate', 'status')
    expect(readlinkSync(join(targetOf(scene), 'bin/hello'))).toBe(join(scene.component, 'bin/hello'))
  })

  test('refuses a snapshot that is none, and keeps the state', async () => {
    const scene = fileset(shell, 'mkdir files')
    await scene.succeed('activate')
    write(scene, { 'files/a': '1' })
    const before = contentOf(targetOf(scene))
    for (const text of ['1 ../out\n', '1 /abs\n', '1/../2 files\n', '7 files\n', 'x files\n', '1 files\n2 files\n']) {
      const snapshot = scene.make(`bad/${Buffer.from(text).toString('hex')}`)
      for (const name of ['1', '2']) mkdirSync(join(snapshot, name))
      writeFileSync(join(snapshot, 'directories'), text)
      const { status, stderr } = await scene.restore(snapshot)
      expect([text, status, stderr]).toEqual([text, 1, expect.stringContaining('cannot restore')])
      expect(contentOf(targetOf(scene))).toEqual(before)
    }
    expect((await scene.restore(scene.make('empty'))).stderr).toContain("neither 'directories' nor 'state.tar.xz'")
    const truncated = scene.make('truncated')
    writeFileSync(join(truncated, 'state.tar.xz'), 'no archive')
    expect((await scene.restore(truncated)).stderr).toContain("cannot unpack 'state.tar.xz'")
    await scene.succeed('activate')
    expect(contentOf(targetOf(scene))).toEqual(before)
  })
})

const [dash] = shells

test('the example of the page works', async () => {
  const scene = new Stateful(dash!, 'fileset', {})
  scene.make('srv')
  const script = exampleOf('fileset').replaceAll('/srv/', `${scene.directory}/srv/`)
  expect(await scene.run(['-ec', `cd "$SCENE" && ${script}`])).toMatchObject({ status: 0, stderr: '' })
  const component = join(scene.directory, 'notes')
  expect(await scene.run([shippedModule('fileset'), 'activate', component])).toMatchObject({ status: 0, stderr: '' })
  expect(scene.read('srv/notes/www/index.html')).toBe('<h1>Notes</h1>\n')
  expect(readdirSync(join(scene.directory, 'srv/notes'))).toEqual(['uploads', 'www'])
})

test.runIf(process.getuid?.() === 0)('gives its directories and what is restored to their owner', async () => {
  const scene = fileset(dash!, 'mkdir a/files')
  scene.write(join(scene.component, '.dysnomia-filesetowner'), 'nobody:nogroup')
  await scene.succeed('activate')
  const owner = (path: string) => lstatSync(join(targetOf(scene), path)).uid
  expect(['a', 'a/files', 'bin/hello'].map(owner)).toEqual([0, 65_534, 0])
  write(scene, { 'a/files/of-root': '' })
  symlinkSync('/etc/passwd', join(targetOf(scene), 'a/files/link'))
  const snapshot = await scene.snapshot()
  expect(await scene.restore(snapshot)).toMatchObject({ status: 0, stderr: '' })
  expect(['a', 'a/files', 'a/files/of-root', 'a/files/link'].map(owner)).toEqual([0, 65_534, 65_534, 65_534])
  expect(lstatSync('/etc/passwd').uid).toBe(0)
  await scene.call('activate', { filesetOwner: 'daemon' })
  expect(lstatSync(join(targetOf(scene), 'a/files')).uid).toBe(1)
})

test.runIf(process.getuid?.() === 0)('does not do what a list of somebody else says', async () => {
  const scene = fileset(dash!, 'mkdir files')
  await scene.succeed('activate')
  const aside = join(targetOf(scene), `.${basename(scene.component)}.davit-state`)
  scene.write(join(aside, 'list'), '1 remove files\n')
  chownSync(aside, 65_534, 65_534)
  for (const activity of ['activate', 'snapshot', 'restore', 'collect-garbage']) {
    const { status, stderr } = await scene.call(activity, { DAVIT_SNAPSHOT: scene.make('dump') })
    expect([status, stderr]).toEqual([1, expect.stringContaining(`'${aside}' belongs to somebody else`)])
  }
  expect(existsSync(join(targetOf(scene), 'files'))).toBe(true)
})
