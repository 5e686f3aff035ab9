import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { chosen, isThorough, patience } from '@davit/testing/effort'
import type { Shell } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { installedShells, logsOf, scratchPath, shippedModule } from './scene.ts'
import { exampleOf, Stateful } from './stateful.ts'
import { noSupervisor, Supervisord } from './supervisord.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)

let server: Supervisord

beforeAll(async () => {
  if (noSupervisor) return
  server = new Supervisord(new Stateful(shells[0]!, 'supervisord-program', {}))
  await server.start()
})
afterAll(() => server?.close())

describe.skipIf(noSupervisor).each(shells)('supervisord-program under $name', (shell) => {
  test('starts programs, keeps them, and takes them away', async () => {
    // One of the shells calls supervisorctl as users do.
    const real = shell === shells[0] ? { PATH: pathOf(shell) } : {}
    const scene = component(shell, server, { 'web.conf': `${program('web')}${program('log')}` }, real)
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    await scene.succeed('activate', 'activate', 'status')
    const pid = server.control('pid', 'web')
    expect(server.control('status')).toMatch(/^log +RUNNING.*\nweb +RUNNING/)
    server.control('stop', 'web')
    const { status, stderr } = await scene.call('status')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/not all programs are running[^]*web +STOPPED/)])
    await scene.succeed('activate', 'status')
    expect(server.control('pid', 'web')).not.toBe(pid)
    await scene.succeed('deactivate', 'deactivate')
    expectNothing(scene, server)
  })

  test('knows what Dysnomia has started', async () => {
    const scene = component(shell, server, { 'web.conf': program('web') })
    await scene.succeed('activate')
    const pid = server.control('pid', 'web')
    scene.adopt()
    await scene.succeed('status', 'activate', 'status')
    expect(server.control('pid', 'web')).toBe(pid)
    server.control('stop', 'web')
    expect(await scene.call('status')).toMatchObject({ status: 1 })
    scene.adopt()
    await scene.succeed('deactivate', 'deactivate')
    expectNothing(scene, server)
  })
})

describe.skipIf(noSupervisor).each(inDepth)('supervisord-program in depth under $name', (shell) => {
  test('fails when a program ends at once, shows its output, and leaves nothing', async () => {
    const broken = program('broken', 'startretries=0\nstartsecs=1', "sh -c 'echo cannot listen >&2; exit 3'")
    const scene = component(shell, server, { 'web.conf': program('web'), 'broken.conf': broken })
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/broken +FATAL[^]*stderr of 'broken':\ncannot listen/)])
    expectNothing(scene, server)
    await scene.succeed('deactivate')
  })

  test('knows groups, several processes, and programs that are started by hand', async () => {
    const text = `; [program:comment]
[group:both]
programs=one,
  two ; [program:no]
${program('one')}${program('two')}${program('many', 'numprocs=2\nprocess_name=%(program_name)s_%(process_num)s')}
${program('hand', 'autostart=false')}`
    const scene = component(shell, server, { '-ü $(x) name.conf': text })
    await scene.succeed('activate', 'status')
    const states = server
      .control('status')
      .split('\n')
      .map((line) => line.split(/ +/).slice(0, 2).join(' '))
    expect(states.toSorted()).toEqual([
      '',
      'both:one RUNNING',
      'both:two RUNNING',
      'hand STOPPED',
      'many:many_0 RUNNING',
      'many:many_1 RUNNING',
    ])
    await scene.succeed('deactivate')
    expectNothing(scene, server)
  })

  test('leaves nothing of a component with a mistake, so that others are not kept from anything', async () => {
    const scene = component(shell, server, { 'web.conf': `${program('web')}[program:none]\n` })
    const { status, stdout, stderr } = await scene.call('activate')
    expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(/CANT_REREAD[^]*nothing of it is left/)])
    expectNothing(scene, server)
    expect(server.control('reread')).toBe('No config updates to processes\n')
  })

  test('can be taken away while the file of somebody else has a mistake', async () => {
    const scene = component(shell, server, { 'web.conf': program('web') })
    const mistake = join(server.directory, 'other.conf')
    scene.write(mistake, 'rubbish\n')
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('other.conf')])
    rmSync(mistake)
    await scene.succeed('activate')
    scene.write(mistake, 'rubbish\n')
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    rmSync(mistake)
    expectNothing(scene, server)
  })

  test('touches neither files nor programs of others', async () => {
    const scene = component(shell, server, { 'web.conf': program('web') })
    const place = join(server.directory, 'web.conf')
    scene.write(place, program('other'))
    const taken = await scene.call('activate')
    expect([taken.status, taken.stderr]).toEqual([1, expect.stringContaining(`'${place}' exists, and is not a link`)])
    await scene.succeed('deactivate')
    expect(lstatSync(place).isFile()).toBe(true)
    rmSync(place)
    scene.write(join(server.directory, 'other.conf'), program('web'))
    const named = await scene.call('activate')
    expect([named.status, named.stderr]).toEqual([
      1,
      expect.stringContaining("already has a program or group named 'web'"),
    ])
    expect(existsSync(place)).toBe(false)
    rmSync(join(server.directory, 'other.conf'))
    symlinkSync('/nowhere/web.conf', place)
    await scene.succeed('activate', 'deactivate')
    expectNothing(scene, server)
  })

  test.each([
    ['has no files', {}, "no file in 'conf.d'"],
    ['has no program', { 'web.conf': '[supervisord]\n' }, "no file in 'conf.d' has a program"],
    ['has a program with a blank', { 'web.conf': program('a b') }, "cannot manage a program or group named 'a b'"],
    [
      'has a file that is not read',
      { 'web.ini': program('web') },
      "supervisord does not find the program or group 'web'",
    ],
  ])('refuses a component that %s', async (_, files, message) => {
    const scene = component(shell, server, files)
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
    await scene.succeed('deactivate')
    expectNothing(scene, server)
  })

  test('says that supervisord does not run', async () => {
    const scene = component(shell, server, { 'web.conf': program('web') }, { timeout: '0' })
    await scene.succeed('activate')
    await server.stop()
    const outcomes = await Promise.all(['activate', 'deactivate'].map((activity) => scene.call(activity)))
    for (const { status, stderr } of outcomes) {
      expect([status, stderr]).toEqual([1, expect.stringMatching(/supervisord does not answer: .*no such file/i)])
    }
    expect(await scene.call('status')).toMatchObject({ status: 1 })
    await server.start()
    await scene.succeed('activate', 'deactivate')
    expectNothing(scene, server)
    await server.stop()
    await scene.succeed('deactivate')
    await server.start()
  })

  test.each(['activate', 'deactivate'])('can be killed at any step of %s', patience, async (activity) => {
    const scene = component(shell, server, { 'web.conf': program('web'), 'log.conf': program('log') })
    const step = isThorough ? 1 : 23
    for (let n = 1 + chosen(step, 'points of supervisord'), done = false; !done; n += step) {
      if (activity === 'deactivate') await scene.succeed('activate')
      const { status } = await scene.killed(activity, n, {}, server.programs)
      done = status === 0
      if (n % 2 === 0) await scene.succeed('activate', 'status')
      await scene.succeed('deactivate')
      expectNothing(scene, server)
    }
  })

  test('names the logs that its programs were given, and those that it has chosen itself', async () => {
    const scene = component(shell, server, {})
    const named = join(scene.directory, 'named-%(program_name)s.log')
    const program = (name: string, text: string) =>
      `[program:${name}]\ncommand=sh -c 'echo ${name} is up; exec sleep 1000'\n${text}\n`
    scene.write(
      join(scene.component, 'conf.d/web.conf'),
      `${program('web', `stdout_logfile = ${named} ; the output\nstderr_logfile=NONE`)}${program('worker', '')}`,
    )
    await scene.succeed('activate')
    // They are in directories with random names, after which they are sorted.
    const logs = (await logsOf(scene)).toSorted((left, right) => (basename(left) < basename(right) ? -1 : 1))
    expect(logs).toEqual([
      `file ${scene.directory}/named-web.log`,
      expect.stringMatching(/^file \/.*\/worker-stderr---supervisor-.*\.log$/),
      expect.stringMatching(/^file \/.*\/worker-stdout---supervisor-.*\.log$/),
    ])
    expect(readFileSync((logs[0] ?? '').replace(/^file /, ''), 'utf8')).toBe('web is up\n')
    await scene.succeed('deactivate')
  })

  test('runs the program of the example', async () => {
    const scene = component(shell, server, {})
    const directory = scratchPath({})
    expect(spawnSync('sh', ['-e'], { cwd: directory, input: exampleOf('supervisord-program') }).status).toBe(0)
    const call = (activity: string) =>
      scene.run([shippedModule('supervisord-program'), activity, join(directory, 'clock')], scene.properties)
    expect(await call('activate')).toMatchObject({ status: 0, stderr: '' })
    expect(server.control('status')).toMatch(/^clock +RUNNING/)
    expect(await call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expectNothing(scene, server)
  })
})

function component(
  shell: Shell,
  server: Supervisord,
  files: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, string>> = {},
): Stateful {
  return new Stateful(shell, 'supervisord-program', {
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`conf.d/${name}`, text])),
    properties: { ...server.properties, PATH: `${server.programs}:${pathOf(shell)}`, ...properties },
  })
}

function pathOf(shell: Shell): string {
  return `${shell.path}:/usr/bin:/usr/sbin`
}

function program(name: string, settings = '', command = 'sleep 1000'): string {
  return `[program:${name}]\ncommand=${command}\nstartsecs=0\n${settings}\n`
}

function expectNothing(scene: Stateful, server: Supervisord): void {
  expect(server.control('status')).toBe('')
  expect(readdirSync(server.directory)).toEqual([])
  expect(
    readdirSync(join(scene.directory, 'run'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ),
  ).toEqual([])
}
