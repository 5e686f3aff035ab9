import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isThorough, sampleOf } from '@davit/testing/effort'
import { freePort } from '@davit/testing/free-port'
import type { Shell } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { type Docker, startDocker } from './docker.ts'
import { installedShells, logsOf, scratchPath, shippedModule } from './scene.ts'
import { proveStackImage } from './stack-image.ts'
import { exampleOf, Stateful } from './stateful.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)
const others = shells.filter((shell) => !shell.inDepth)
const engine = await startDocker()
const isMissing = typeof engine === 'string'
const docker = engine as Docker
afterAll(() => (isMissing ? undefined : docker.stop()))

// Tells the word that it was given, until it is stopped.
const TELL = `trap 'kill $!; exit' TERM; echo "$word" >/www/index.html
busybox httpd -f -p "127.0.0.1:$PORT" -h /www & wait`.replaceAll('busybox', '/bin/busybox')
// Tells its words and variables, and goes on if it no longer listens.
const SHOW = `printf '%s|' "$0" "$@" "$lines" "$empty" "$long" >/www/index.html
busybox httpd -f -p "127.0.0.1:$PORT" -h /www & echo $! >/pid; wait; exec busybox sleep 1000`.replaceAll(
  'busybox',
  '/bin/busybox',
)
const archive = isMissing ? '' : docker.archive('davit-web:1', TELL)
const broken = isMissing ? '' : docker.archive('davit-broken:1', 'echo no database; exit 3')

describe.skipIf(isMissing).each([...inDepth, ...sampleOf(others, 1)])('docker-container under $name', (shell) => {
  test('runs a container until it is deactivated, and leaves nothing', async () => {
    const web = await webOf(shell)
    expect(await web.call('status')).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('there is no container'),
    })
    await web.succeed('activate', 'activate', 'status')
    expect(await web.word()).toBe('hello "$x" \n')
    expect(await docker.everything()).toEqual([web.name, 'davit-web:1'])
    await web.succeed('deactivate', 'deactivate', 'collect-garbage')
    expect(await web.word()).toBeUndefined()
    expect(await docker.everything()).toEqual([])
    expect(await web.call('status')).toMatchObject({ status: 3 })
    expect(readdirSync(join(web.directory, 'machine'))).not.toContain('docker-images')
  })
})

describe.skipIf(isMissing).each(inDepth)('docker-container in depth', (shell) => {
  test('shows what a container printed that does not stay, and leaves nothing', async () => {
    const settings = `dockerImage=${broken}\ndockerImageTag=davit-broken:1\n`
    const web = await webOf(shell, { settings })
    const { status, stderr } = await web.call('activate')
    expect(status).toBe(1)
    expect(stderr).toMatch(/is exited\n.*the end of the output[^]*no database\n.*cannot activate.*is removed\n/)
    expect(await docker.everything()).toEqual([])
  })

  test('keeps a container that holds state until the garbage is collected', async () => {
    const web = await webOf(shell, { settings: 'dockerStatelessDeployment=0\n' })
    await web.succeed('activate')
    docker.run('exec', web.name, '/bin/busybox', 'touch', '/kept')
    await web.succeed('deactivate', 'deactivate')
    expect(await web.word()).toBeUndefined()
    await web.succeed('activate', 'status')
    docker.run('exec', web.name, '/bin/busybox', 'ls', '/kept')
    web.write(join(web.component, 'web-docker-createparams'), '--network\nhost\n')
    const { status, stderr } = await web.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('and may hold state; remove it by hand')])
    expect(await web.word()).toBe('hello "$x" \n')
    expect(await web.call('collect-garbage')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is running'),
    })
    await web.succeed('deactivate', 'collect-garbage', 'collect-garbage')
    expect(await docker.everything()).toEqual([])
  })

  test('makes a container anew when it was made of something else', async () => {
    const web = await webOf(shell)
    await web.succeed('activate')
    const id = docker.run('inspect', '-f', '{{.Id}}', web.name)
    await web.succeed('activate')
    expect(docker.run('inspect', '-f', '{{.Id}}', web.name)).toBe(id)
    web.write(join(web.component, 'web-docker-createparams'), `${web.parameters}-e\nword=other\n`)
    await web.succeed('activate')
    expect(await web.word()).toBe('other\n')
    docker.run('stop', '-t', '0', web.name)
    expect(await web.call('status')).toMatchObject({ status: 3, stdout: expect.stringContaining('is exited') })
    await web.succeed('activate', 'status', 'deactivate')
    expect(await docker.everything()).toEqual([])
  })

  test('waits until a container is healthy', async () => {
    const check = (command: string) => `--health-interval=100ms\n--health-retries=1\n--health-cmd=${command}\n`
    const well = await webOf(shell, { parameters: check('/bin/busybox wget -O /dev/null "http://127.0.0.1:$PORT/"') })
    await well.succeed('activate', 'status', 'deactivate')
    const ill = await webOf(shell, { parameters: check('exit 1') })
    const { status, stderr } = await ill.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('is running, unhealthy')])
    expect(await docker.everything()).toEqual([])
  })

  const TEXTS = {
    words: `'two' "words" $HOME $(id)`,
    lines: ' a\n\n\\n b\r\n',
    empty: '',
    long: `${'x'.repeat(100_000)}ä`,
  }

  test('runs a command with variables, whatever they hold, and waits until it listens', async () => {
    const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
    const command = ['/bin/sh', '-c', `/bin/busybox sleep 1\n${SHOW}`, ...Object.values(TEXTS)]
    const port = await freePort()
    const web = new Web(shell, port, { settings: `dockerReadyPort=${port}\n` })
    web.write(join(web.component, 'web-docker-command'), `${command.map(escaped).join('\n')}\n`)
    const lines = Object.entries(TEXTS).map(([name, text]) => `${name}=${escaped(text)}\n`)
    web.write(join(web.component, 'web-docker-environment'), lines.join(''))
    await web.succeed('activate', 'status')
    const { words, lines: several, empty, long } = TEXTS
    expect(await web.word()).toBe(
      [words, several, empty, long, several, empty, long].map((text) => `${text}|`).join(''),
    )
    docker.run('exec', web.name, '/bin/sh', '-c', 'kill $(/bin/busybox cat /pid)')
    expect(await web.call('status')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nothing listens on port'),
    })
    await web.succeed('deactivate')
    expect(await docker.everything()).toEqual([])
  })

  test('gives up on a container that never listens', async () => {
    const web = await webOf(shell, { settings: `dockerReadyPort=${await freePort()}\n` })
    const { status, stderr } = await web.call('activate', { timeout: '1' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('nothing listens on port')])
    expect(await docker.everything()).toEqual([])
  })

  test('removes a container that removes itself', async () => {
    const web = await webOf(shell, { parameters: '--rm\n' })
    await web.succeed('activate', 'deactivate', 'deactivate')
    expect(await docker.everything()).toEqual([])
  })

  test('keeps an image that was there, or that another component needs', async () => {
    const one = await webOf(shell, { name: 'one' })
    const two = await webOf(shell, { name: 'two' })
    const together = { DYSNOMIA_STATEDIR: one.directory }
    await one.succeed('activate')
    expect(await two.call('activate', together)).toMatchObject({ status: 0 })
    await one.succeed('deactivate')
    expect(await docker.everything()).toEqual([two.name, 'davit-web:1'])
    expect(await two.call('deactivate', together)).toMatchObject({ status: 0 })
    expect(await docker.everything()).toEqual([])
    docker.run('load', '-i', archive)
    await one.succeed('activate', 'deactivate')
    expect(await docker.everything()).toEqual(['davit-web:1'])
    docker.run('image', 'rm', 'davit-web:1')
  })

  test('leaves containers of others alone, and takes over those of Dysnomia', async () => {
    docker.run('load', '-i', archive)
    const other = await webOf(shell, { settings: 'dockerContainerName=other\n' })
    docker.run('create', '--name', 'other', 'davit-web:1')
    expect(await other.call('activate')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not belong to'),
    })
    await other.call('deactivate')
    expect(await docker.everything()).toEqual(['other', 'davit-web:1'])
    docker.run('rm', 'other')
    const old = await webOf(shell, { settings: 'dockerStatelessDeployment=0\n' })
    docker.run(
      'create',
      '--name',
      old.name,
      '--network',
      'host',
      '-e',
      `PORT=${old.port}`,
      '-e',
      'word=old',
      'davit-web:1',
    )
    await old.succeed('activate', 'status')
    expect(await old.word()).toBe('old\n')
    await old.succeed('deactivate', 'collect-garbage')
    expect(await docker.everything()).toEqual(['davit-web:1'])
    docker.run('image', 'rm', 'davit-web:1')
  })

  test.each(['activate', 'deactivate'])(
    'is as it was, or as it shall be, after %s was killed anywhere',
    async (activity) => {
      const web = await webOf(shell)
      for (let n = 1, done = false; !done; n += isThorough ? 1 : 13) {
        if (activity === 'deactivate') await web.succeed('activate')
        done = (await web.killed(activity, n)).status === 0
        expect(n).toBeLessThan(50)
        // Every other time, it is revived before it is taken away.
        const word = n % 2 === 1 ? 'hello "$x" \n' : undefined
        await web.succeed(...(word === undefined ? ['deactivate'] : ['activate', 'status']))
        expect(await web.word()).toBe(word)
        await web.succeed('deactivate')
        expect(await docker.everything()).toEqual([])
      }
    },
  )

  const mistakes: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['no settings', {}, "has no file '*-docker-settings'"],
    ['an unknown setting', { 'a-docker-settings': 'dockerTag=x\n' }, "line 1: unknown key 'dockerTag'"],
    ['a command', { 'a-docker-settings': 'dockerImageTag=$(touch x)\n' }, 'line 1: the value of'],
    ['no tag', { 'a-docker-settings': 'dockerImage=x\n' }, 'does not set dockerImageTag'],
    ['a bad name', { 'a-docker-settings': 'dockerImageTag=x\ndockerContainerName=a/b\n' }, "no container named 'a/b'"],
    ['no image', { 'a-docker-settings': 'dockerImageTag=davit-absent:1\n' }, "there is no image 'davit-absent:1'"],
    ['an absent archive', { 'a-docker-settings': 'dockerImage=x\ndockerImageTag=x\n' }, "cannot read '"],
    [
      'a bad parameter',
      { 'a-docker-settings': 'dockerImageTag=davit-web:1\n', 'a-docker-createparams': '--nonsense\n' },
      'cannot make container',
    ],
  ]
  test.each(mistakes)('refuses a component with %s', async (kind, files, problem) => {
    if (kind === 'a bad parameter') docker.run('load', '-i', archive)
    const web = new Container(shell, 'web', files)
    const { status, stderr } = await web.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(problem)])
    expect((await web.call('deactivate')).status).toBe(0)
    if (kind === 'a bad parameter') docker.run('image', 'rm', 'davit-web:1')
    expect(await docker.everything()).toEqual([])
  })

  test('names the output of a container, and prints it since a time, with the time of each line', async () => {
    const image = docker.archive('speaks:1', 'echo one; echo two >&2; exec sleep 1000')
    const settings = `dockerImage=${image}\ndockerImageTag=speaks:1\ndockerContainerName=speaks\n`
    const files = { 'web-docker-settings': settings }
    const scene = new Stateful(shell, 'docker-container', { files, properties: docker.properties })
    await scene.succeed('activate')
    expect(await logsOf(scene)).toEqual(['program output'])
    const print = (since: string) =>
      logsOf(scene, { DAVIT_LOG: 'output', DAVIT_LOG_LINES: '10', DAVIT_LOG_SINCE: since })
    const line = (text: string) =>
      expect.stringMatching(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:]+\\.\\d+Z ${text}$`)) as string
    const all = await print('')
    expect(all.toSorted((left, right) => left.slice(-3).localeCompare(right.slice(-3)))).toEqual([
      line('one'),
      line('two'),
    ])
    expect(await print(String(Date.now() / 1000 + 60))).toEqual([])
    await scene.succeed('deactivate', 'collect-garbage')
    expect(await print('')).toEqual([])
  })

  test('says where no engine answers', async () => {
    const web = await webOf(shell)
    const { status, stderr } = await web.call('activate', { DOCKER_HOST: 'unix:///nonexistent', timeout: '0' })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Docker does not answer: [^]*unix:\/\/\/nonexistent/)])
  })

  test('runs the container of the example', async () => {
    docker.run('load', '-i', archive)
    docker.run('tag', 'davit-web:1', 'web:1')
    const directory = scratchPath({})
    const web = await webOf(shell)
    const env = { ...process.env, ...docker.properties }
    expect(spawnSync('sh', ['-e'], { cwd: directory, input: exampleOf('docker-container'), env }).status).toBe(0)
    docker.run('image', 'rm', 'davit-web:1', 'web:1')
    const argv = (activity: string) => [shippedModule('docker-container'), activity, join(directory, 'web')]
    const properties = { ...web.properties, PORT: `${web.port}`, word: 'example' }
    expect(await web.run(argv('activate'), properties)).toMatchObject({ status: 0, stderr: '' })
    expect(await web.word()).toBe('example\n')
    expect(await web.run(argv('deactivate'), properties)).toMatchObject({ status: 0 })
    expect(await docker.everything()).toEqual([])
  })
})

test.skipIf(isMissing)('docker-container runs the image of a container of a stack', () => proveStackImage(docker))

class Container extends Stateful {
  override readonly component: string
  /** Of the container, unless a setting names it. */
  readonly name: string

  constructor(shell: Shell, name: string, files: Readonly<Record<string, string>>) {
    // busybox has no docker of its own.
    const path = `${shell.path}:${scratchPath({ docker: '#!/bin/sh\nexec /usr/bin/docker "$@"\n' })}`
    super({ ...shell, path }, 'docker-container', { properties: { ...docker.properties, word: 'hello "$x" ' } })
    this.name = `dysnomia-${name}`
    this.component = join(this.directory, 'packages', name)
    for (const [file, text] of Object.entries(files)) this.write(join(this.component, file), text)
  }
}

/** A container that tells its word at a port of its own. */
class Web extends Container {
  readonly port: number
  readonly parameters: string

  constructor(shell: Shell, port: number, { name = 'web', settings = '', parameters = '' }) {
    const all = `--network\nhost\n\n-e\nPORT=${port}\n-e\nword\n${parameters}`
    super(shell, name, {
      'web-docker-settings': `dockerImage=${archive}\ndockerImageTag=davit-web:1\ndockerStopTimeout=5\n${settings}`,
      'web-docker-createparams': all,
    })
    this.port = port
    this.parameters = all
  }

  /** What the container tells; undefined if nobody answers. */
  word(): Promise<string | undefined> {
    return fetch(`http://127.0.0.1:${this.port}/`, { headers: { connection: 'close' } }).then(
      (response) => response.text(),
      () => undefined,
    )
  }
}

async function webOf(shell: Shell, options: ConstructorParameters<typeof Web>[2] = {}): Promise<Web> {
  return new Web(shell, await freePort(), options)
}
