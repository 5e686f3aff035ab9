import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chosen, isThorough, patience } from '@davit/testing/effort'
import { freePort } from '@davit/testing/free-port'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { installedShells, scratchPath, shippedModule } from './scene.ts'
import { exampleOf, Stateful } from './stateful.ts'
import { noTomcat, Tomcat, webArchive } from './tomcat.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)

let tomcat: Tomcat
beforeAll(async () => {
  if (noTomcat) return
  tomcat = new Tomcat(new Stateful(inDepth[0]!, 'tomcat-webapplication', {}), await freePort())
  await tomcat.start()
})
afterAll(() => tomcat?.stop())

describe.skipIf(noTomcat).each(shells)('tomcat-webapplication under $name', (shell) => {
  test('serves an application from its activation to its deactivation', async () => {
    const scene = component(shell, { 'webapps/hello.war': page('one') })
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    await scene.succeed('activate')
    expect(await tomcat.page('hello/')).toBe('200 one')
    await scene.succeed('activate', 'status', 'deactivate')
    expect(await tomcat.page('hello/')).toBe('404')
    await scene.succeed('deactivate')
    expectNothing()
  })

  test('knows what Dysnomia has put there', async () => {
    const scene = component(shell, { 'webapps/hello.war': page('one') })
    await scene.succeed('activate')
    scene.adopt()
    await scene.succeed('status', 'activate')
    scene.adopt()
    await scene.succeed('deactivate')
    expect(await tomcat.page('hello/')).toBe('404')
    expectNothing()
  })
})

describe.skipIf(noTomcat).each(inDepth)('tomcat-webapplication in depth under $name', (shell) => {
  test('never serves the old version once the new one is active', async () => {
    for (const word of ['one', 'two']) {
      const scene = component(shell, { 'webapps/hello.war': page(word) })
      await scene.succeed('activate')
      expect(await tomcat.page('hello/')).toBe(`200 ${word}`)
      await scene.succeed('deactivate')
      expect(await tomcat.page('hello/')).toBe('404')
    }
  })

  test('knows the paths of applications, and those that are described', async () => {
    const directory = scratchPath({ 'index.html': 'described' })
    const scene = component(shell, {
      'webapps/deep/er/ROOT.war': page('top'),
      'webapps/a#b##2.war': page('version'),
      'webapps/without-index.war': webArchive({ 'other.html': 'other' }),
      'conf/Catalina/described.xml': Buffer.from(`<Context docBase="${directory}"/>`),
    })
    await scene.succeed('activate', 'status')
    expect(
      await Promise.all(['', 'a/b/', 'without-index/other.html', 'described/'].map((path) => tomcat.page(path))),
    ).toEqual(['200 top', '200 version', '200 other', '200 described'])
    await scene.succeed('deactivate')
    expect(await tomcat.page('')).toBe('404')
    expect(existsSync(join(directory, 'index.html'))).toBe(true)
    expectNothing()
  })

  test('takes back everything if an application cannot be started, and prints the log', async () => {
    const broken = webArchive({
      'WEB-INF/web.xml': '<web-app><listener><listener-class>no.Such</listener-class></listener></web-app>',
    })
    const scene = component(
      shell,
      { 'webapps/hello.war': page('one'), 'webapps/broken.war': broken },
      { readyTimeout: '8' },
    )
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/the end of '.*catalina[^]*nothing of it is left/)])
    expect(stderr).toMatch(/broken answers with status 404 after 8 s/)
    expectNothing()
  })

  test('touches nothing of somebody else', async () => {
    const other = component(shell, { 'webapps/hello.war': page('other') })
    await other.succeed('activate')
    const scene = component(shell, { 'webapps/hello.war': page('one') })
    const taken = await scene.call('activate')
    expect([taken.status, taken.stderr]).toEqual([
      1,
      expect.stringContaining("hello.war' exists, and is not a link to"),
    ])
    await scene.succeed('deactivate')
    expect(await tomcat.page('hello/')).toBe('200 other')
    const described = component(shell, { 'conf/Catalina/hello.xml': Buffer.from('<Context/>') })
    expect(await described.call('activate')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/webapps\/hello' exists/),
    })
    await other.succeed('deactivate')
    expectNothing()
  })

  test.each([
    ['no application', {}, {}, "it has neither 'webapps/NAME.war' nor"],
    ['two of a name', { 'webapps/a/x.war': page('a'), 'webapps/b/x.war': page('b') }, {}, "several files 'x.war'"],
    ['a name with a blank', { 'webapps/a b.war': page('a') }, {}, "'a b' is not a name for an application"],
    [
      'another directory',
      { 'webapps/a.war': page('a') },
      { catalinaBaseDir: '/nowhere', timeout: '0' },
      "'/nowhere/webapps' is not a directory",
    ],
    [
      'a relative directory',
      { 'webapps/a.war': page('a') },
      { catalinaBaseDir: 'x' },
      "catalinaBaseDir 'x' is not an absolute path",
    ],
    [
      'a password',
      { 'webapps/a.war': page('a') },
      { catalinaUrl: 'http://u:p@h' },
      'contains a character that is not allowed',
    ],
    [
      'no Tomcat',
      { 'webapps/a.war': page('a') },
      { port: '1', readyTimeout: '0' },
      'no Tomcat answers at http://127.0.0.1:1',
    ],
  ])('is refused with %s', async (_, files, properties, message) => {
    const scene = component(shell, files, properties)
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
    expectNothing()
  })

  test.each(['activate', 'deactivate'])('can be killed at any step of %s', patience, async (activity) => {
    const scene = component(shell, {
      'webapps/hello.war': page('one'),
      'conf/Catalina/hello.xml': Buffer.from('<Context/>'),
    })
    const step = isThorough ? 1 : 7
    for (let n = 1 + chosen(step, 'points of tomcat'), done = false; !done; n += step) {
      if (activity === 'deactivate') await scene.succeed('activate')
      done = (await scene.killed(activity, n)).status === 0
      if (n % 2 === 0) await scene.succeed('activate', 'status')
      await scene.succeed('deactivate')
      expectNothing()
    }
  })

  test('serves the application of the example', async () => {
    const scene = component(shell, {})
    const directory = scratchPath({})
    expect(spawnSync('sh', ['-e'], { cwd: directory, input: exampleOf('tomcat-webapplication') }).status).toBe(0)
    const call = (activity: string) =>
      scene.run([shippedModule('tomcat-webapplication'), activity, join(directory, 'clock')], scene.properties)
    expect(await call('activate')).toMatchObject({ status: 0, stderr: '' })
    expect(await tomcat.page('clock/')).toMatch(/^200 It is /)
    expect(await call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expectNothing()
  })

  test('leaves nothing behind when Tomcat has been stopped', async () => {
    const scene = component(shell, { 'webapps/hello.war': page('one') })
    await scene.succeed('activate')
    await tomcat.stop()
    expect(await scene.call('status')).toMatchObject({ status: 1, stderr: expect.stringContaining('status 000') })
    await scene.succeed('deactivate')
    expectNothing()
    await tomcat.start()
    expect(await tomcat.page('hello/')).toBe('404')
  })
})

function component(
  shell: Shell,
  files: Readonly<Record<string, Buffer>>,
  properties: Readonly<Record<string, string>> = {},
): Stateful {
  const scene = new Stateful(shell, 'tomcat-webapplication', { properties: { ...tomcat.properties, ...properties } })
  mkdirSync(scene.component, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    const place = join(scene.component, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
  return scene
}

function page(text: string): Buffer {
  return webArchive({ 'index.html': text })
}

function expectNothing(): void {
  expect(readdirSync(join(tomcat.base, 'webapps'))).toEqual([])
  const described = join(tomcat.base, 'conf/Catalina/localhost')
  expect(existsSync(described) ? readdirSync(described) : []).toEqual([])
}
