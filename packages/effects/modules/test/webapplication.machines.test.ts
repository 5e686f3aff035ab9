import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'

import { installedShells, type Outcome, shippedModule } from './scene.ts'
import { contentOf, exampleOf, Stateful } from './stateful.ts'
import { freePortText, installedWebServers, RunningServer } from './web-servers.ts'

const shells = installedShells()
const [dash] = shells
const servers = installedWebServers()
const succeeded = { status: 0, stderr: '' }
const refused = (text: string) => ({ status: 1, stderr: expect.stringContaining(text) as string })
const ODD = `a b%20ü'$(x)?#&.html`

const cases = servers.flatMap((server) =>
  shells.map((shell) => ({ name: `${server.name} under ${shell.name}`, server, shell })),
)

describe.concurrent.each(cases)('a web application of $name', ({ server, shell }) => {
  test('is served when it is activated, and gone when it is deactivated', async () => {
    const port = await freePortText()
    const scene = application(server.name, shell, port, {
      'webapps/app/index.html': 'app',
      'webapps/files/a.txt': 'a',
      [`webapps/${ODD}`]: 'odd',
    })
    const web = RunningServer.start(server, scene, { port })
    await scene.succeed('activate')
    expect(await web.page('app/')).toBe('200 app')
    expect(await web.page('files/a.txt')).toBe('200 a')
    expect(await web.page(encodeURIComponent(ODD))).toBe('200 odd')
    await scene.succeed('activate', 'status', 'deactivate')
    for (const path of ['app/', 'files/a.txt', encodeURIComponent(ODD)]) expect(await web.page(path)).toMatch(/^404/)
    expect(await scene.call('status')).toMatchObject({ status: 1 })
    await scene.succeed('deactivate')
    expect(readdirSync(join(scene.directory, 'root'))).toEqual([])
    await web.stop()
  })

  test('keeps its state', async () => {
    const port = await freePortText()
    const scene = application(server.name, shell, port, { 'www/index.html': 'notes' })
    specify(scene)
    const web = RunningServer.start(server, scene, { port })
    await scene.succeed('activate', 'activate', 'status')
    expect(await web.page('www/')).toBe('200 notes')
    scene.write(join(scene.directory, 'root/uploads/a.txt'), 'first')
    const first = await scene.snapshot()
    expect(contentOf(await scene.snapshot())).toEqual(contentOf(first))
    await scene.succeed('deactivate', 'collect-garbage', 'collect-garbage')
    expect(readdirSync(join(scene.directory, 'root'))).toEqual([])
    expect(await scene.restore(first)).toMatchObject(succeeded)
    await scene.succeed('activate')
    expect(await web.page('uploads/a.txt')).toBe('200 first')
    await scene.succeed('deactivate', 'deactivate')
    expect(await web.page('www/')).toMatch(/^404/)
    expect(await web.page('uploads/a.txt')).toBe('200 first')
    await web.stop()
  })
})

describe.concurrent.each(servers)('with $name', (server) => {
  test('no answers of an old and a new version are mixed', async () => {
    const port = await freePortText()
    const version = (text: string) => ({
      ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`webapps/${name}.html`, text])),
      'webapps/dir/index.html': text,
    })
    const old = application(server.name, dash!, port, version('old'))
    const web = RunningServer.start(server, old, { port })
    await old.succeed('activate')
    const fresh = application(server.name, dash!, port, version('new'))
    const properties = { documentRoot: join(old.directory, 'root') }
    expect(await fresh.call('activate', properties)).toMatchObject(refused('is there already: a link to'))
    const seen: string[] = []
    const visits = new AbortController()
    const visitor = (async () => {
      while (!visits.signal.aborted) {
        for (const path of ['a.html', 'c.html', 'dir/', 'b.html']) seen.push((await web.page(path)).slice(0, 7))
      }
    })()
    await old.succeed('deactivate')
    expect(await fresh.call('activate', properties)).toMatchObject(succeeded)
    const count = seen.length
    await until(() => seen.length > count + 20)
    visits.abort()
    await visitor
    expect(new Set(seen.slice(-10))).toEqual(new Set(['200 new']))
    expect(seen.lastIndexOf('200 old')).toBeLessThan(seen.indexOf('200 new'))
    expect(new Set(seen.map((page) => page.slice(0, 3)))).toEqual(new Set(['200', '404']))
    await web.stop()
  })

  test('a server that is down, late, or has another document root', async () => {
    const port = await freePortText()
    const scene = application(server.name, dash!, port, { 'webapps/app/index.html': 'app' })
    const impatient = { readyTimeout: '1' }
    const problem = async (outcome: Promise<Outcome>, text: string) => {
      expect(await outcome).toMatchObject(refused(text))
      expect(existsSync(join(scene.directory, 'root/app'))).toBe(false)
    }
    await problem(scene.call('activate', impatient), `no web server answers at http://127.0.0.1:${port}/app/`)
    await scene.succeed('deactivate')
    const activation = scene.call('activate')
    await until(() => existsSync(join(scene.directory, 'root/app')))
    const web = RunningServer.start(server, scene, { port })
    expect(await activation).toMatchObject(succeeded)
    await scene.succeed('status', 'deactivate')
    const elsewhere = { ...impatient, documentRoot: scene.make('other') }
    const message = `http://127.0.0.1:${port}/app/ with status 404: is its document root '${scene.make('other')}'?`
    await problem(scene.call('activate', elsewhere), message)
    expect(readdirSync(scene.make('other'))).toEqual([])
    await web.stop()
  })

  test('is repeated after it was killed before any of its changes', async () => {
    const port = await freePortText()
    const scene = application(server.name, dash!, port, { 'www/index.html': 'notes' })
    specify(scene)
    const web = RunningServer.start(server, scene, { port })
    await scene.succeed('activate')
    for (const [activity, opposite, status] of [
      ['activate', 'deactivate', '200'],
      ['deactivate', 'activate', '404'],
    ] as const) {
      for (let n = 1, outcome: number | null = null; outcome !== 0; n += 1) {
        await scene.succeed(opposite)
        outcome = (await scene.killed(activity, n)).status
        await scene.succeed(activity)
        expect((await web.page('www/')).slice(0, 3)).toBe(status)
      }
    }
    await web.stop()
  })
})

const nginx = servers.find(({ name }) => name === 'nginx')

describe.runIf(nginx !== undefined)('asking', () => {
  test.concurrent.each([
    ['open_file_cache max=9; open_file_cache_valid 2s;', 'a server that keeps what it has read'],
    ['try_files $uri /catch-all.html;', 'a server with an answer for everything'],
    ['auth_basic davit; auth_basic_user_file /nowhere;', 'a server that wants a password'],
    ['server_name other; } server { listen 127.0.0.1:$PORT; return 500;', 'several hosts at one address'],
  ])('with "%s": %s', async (settings) => {
    const port = await freePortText()
    const scene = application('nginx', dash!, port, { 'webapps/page.html': 'page' })
    scene.write(join(scene.directory, 'root/catch-all.html'), 'catch-all')
    const web = RunningServer.start(nginx!, scene, { port, settings: settings.replace('$PORT', port) })
    const virtualHost = { virtualHost: 'other' }
    expect(await scene.call('activate', virtualHost)).toMatchObject(succeeded)
    await web.page('page.html')
    expect(await scene.call('deactivate', virtualHost)).toMatchObject(succeeded)
    expect(await web.page('page.html')).not.toBe('200 page')
    await web.stop()
  })

  test('what remains served makes the deactivation fail', async () => {
    const port = await freePortText()
    const scene = application('nginx', dash!, port, { 'webapps/page.html': 'page' })
    const web = RunningServer.start(nginx!, scene, { port, settings: 'location = /page.html { return 200; }' })
    await scene.succeed('activate')
    const message = `after 1 s, the web server still serves http://127.0.0.1:${port}/page.html`
    expect(await scene.call('deactivate', { readyTimeout: '1' })).toMatchObject(refused(message))
    await web.stop()
  })

  test.concurrent.each(['curl', 'wget'])('by %s, without a proxy', async (program) => {
    const port = await freePortText()
    const scene = application('nginx', dash!, port, { 'webapps/page.html': 'page', 'webapps/.hidden': '' })
    const web = RunningServer.start(nginx!, scene, { port })
    const properties = { httpClient: `/usr/bin/${program}`, http_proxy: 'http://127.0.0.1:1' }
    expect(await scene.call('activate', properties)).toMatchObject(succeeded)
    expect(await scene.call('status', properties)).toMatchObject(succeeded)
    expect(await scene.call('deactivate', properties)).toMatchObject(succeeded)
    await web.stop()
  })

  test('what the server may not read is named, and a directory without an index is not', async () => {
    const port = await freePortText()
    const scene = application('nginx', dash!, port, { 'webapps/dir/a.txt': 'a' })
    const web = RunningServer.start(nginx!, scene, { port, settings: 'location ~ html$ { disable_symlinks on; }' })
    const named = refused(`status 403: may it read '${join(scene.directory, 'root/page.html')}', and follow links?`)
    await scene.succeed('activate', 'deactivate')
    scene.write(join(scene.component, 'webapps/page.html'), 'page')
    expect(await scene.call('activate', { readyTimeout: '1' })).toMatchObject(named)
    await web.stop()
  })

  test('the example of the page works', async () => {
    const port = await freePortText()
    const scene = new Stateful(dash!, 'nginx-webapplication', {})
    const web = RunningServer.start(nginx!, scene, { port })
    expect(await scene.run(['-ec', `cd "$SCENE" && ${exampleOf('webapplication')}`])).toMatchObject(succeeded)
    const component = join(scene.directory, 'hello')
    const properties = { documentRoot: scene.make('root'), port }
    const module = shippedModule('nginx-webapplication')
    expect(await scene.run([module, 'activate', component], properties)).toMatchObject(succeeded)
    expect(await web.page('hello/')).toBe('200 <h1>Hello</h1>\n')
    await web.stop()
  })
})

test.each([
  [{ documentRoot: 'relative' }, "documentRoot 'relative' is not an absolute path"],
  [
    { documentUrl: 'localhost:80' },
    "documentUrl 'localhost:80' is not an address that begins with http:// or https://",
  ],
  [{ documentUrl: 'http://me:secret@localhost' }, 'contains a character that is not allowed'],
  [{ virtualHost: 'a\nX-Other: b' }, 'is not the name of a host'],
  [{ port: '80 -o /etc/passwd' }, 'contains a character that is not allowed'],
  [{ readyTimeout: '08' }, "readyTimeout '08' is not a number"],
  [{ httpClient: '/nowhere/curl' }, "httpClient '/nowhere/curl' cannot be executed"],
  [{ filesetOwner: '-R' }, "filesetOwner '-R' is not of the form"],
])('a web application is refused with %j', async (properties, message) => {
  const scene = application('nginx', dash!, '1', { 'webapps/page.html': '' })
  expect(await scene.call('activate', properties)).toMatchObject(refused(message))
  expect(existsSync(join(scene.directory, 'root'))).toBe(false)
})

test('a web application without pages, or with a wrong specification, is refused', async () => {
  const scene = application('apache', dash!, '1', { 'webapps/.keep': '' })
  const { stderr } = await scene.call('activate')
  expect(stderr).toContain("apache-webapplication: '")
  expect(stderr).toContain("has neither 'webapps/NAME' nor '.dysnomia-fileset'")
  scene.write(join(scene.component, '.dysnomia-fileset'), 'mkdir ../x\n')
  expect(await scene.call('activate')).toMatchObject(refused(".dysnomia-fileset:1: 'mkdir ../x' leaves"))
  expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
})

function application(
  server: string,
  shell: (typeof shells)[number],
  port: string,
  files: Readonly<Record<string, string>>,
): Stateful {
  const scene = new Stateful(shell, `${server}-webapplication`, { files })
  // The server has to read it, whatever its user.
  chmodSync(scene.directory, 0o755)
  return Object.assign(scene, { properties: { port, documentRoot: join(scene.directory, 'root') } })
}

/** A web application with state: links to `www`, and a directory for what its users send. */
function specify(scene: Stateful): void {
  const text = `symlink ${scene.component}/www\ntarget .\nmkdir uploads\n`
  scene.write(join(scene.component, '.dysnomia-fileset'), text)
}
