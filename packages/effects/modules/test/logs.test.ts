import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { until } from '@davit/testing/processes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Docker, startDocker } from './docker.ts'
import { configured, installedShells, Scene, scratchPath } from './scene.ts'
import { Stateful } from './stateful.ts'
import { noSupervisor, Supervisord } from './supervisord.ts'

const shells = installedShells()

/** The logs that a module names, a line each. */
async function logsOf(scene: Scene, properties: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { status, stdout, stderr } = await scene.call('logs', properties)
  if (status !== 0 || stderr !== '') throw new Error(`logs ended with ${status}: ${stderr}`)
  return stdout.split('\n').filter((line) => line !== '')
}

function fileIn(lines: readonly string[]): string {
  return (lines[0] ?? '').replace(/^file /, '')
}

describe.each(shells)('logs under $name', (shell) => {
  test('process names the file with the output of its program', async () => {
    const scene = new Scene(shell, configured('', { 'bin/web': '#!/bin/sh\necho up\nexec sleep 1000\n' }))
    expect((await scene.call('activate')).status).toBe(0)
    expect(await logsOf(scene)).toEqual([`file ${scene.log}`])
    await until(() => readFileSync(scene.log, 'utf8') === 'up\n')
    expect((await scene.call('deactivate')).status).toBe(0)
  })

  test('web applications name the logs that their container has as properties', async () => {
    for (const module of ['nginx-webapplication', 'apache-webapplication']) {
      const scene = new Stateful(shell, module, { files: { 'webapps/a/index.html': 'a' } })
      // oxlint-disable-next-line no-await-in-loop
      expect(await logsOf(scene)).toEqual([])
      const properties = { errorLog: '/var/log/nginx/error.log', accessLog: '/srv/it is/access' }
      // oxlint-disable-next-line no-await-in-loop
      expect(await logsOf(scene, properties)).toEqual(['file /var/log/nginx/error.log', 'file /srv/it is/access'])
    }
  })

  test('tomcat-webapplication names the newest log of each kind', async () => {
    const scene = new Stateful(shell, 'tomcat-webapplication', { files: { 'webapps/a.war': 'a' } })
    const logs = join(scene.directory, 'base/logs')
    mkdirSync(logs, { recursive: true })
    const names = ['catalina.2026-01-01.log', 'catalina.2026-01-02.log', 'catalina.out', 'localhost.2026-01-02.log']
    for (const [index, name] of names.entries()) {
      writeFileSync(join(logs, name), '')
      utimesSync(join(logs, name), index === 1 ? 10 : index, index === 1 ? 10 : index)
    }
    expect(await logsOf(scene, { catalinaBaseDir: join(scene.directory, 'base') })).toEqual([
      `file ${logs}/catalina.2026-01-02.log`,
      `file ${logs}/localhost.2026-01-02.log`,
    ])
  })

  test('systemd-unit prints the journal of the units of its last activation, and of no others', async () => {
    const scene = new Stateful(shell, 'systemd-unit', {})
    expect(await logsOf(scene)).toEqual([])
    const record = join(scene.directory, 'run/systemd-unit/systemd-unit')
    mkdirSync(record, { recursive: true })
    writeFileSync(join(record, 'key1'), 'unit web.service\nunit worker@*.service\nstart web.service\n')
    expect(await logsOf(scene)).toEqual(['program journal'])
    const path = `${scratchPath({ journalctl: '#!/bin/sh\nprintf "%s\\n" "$@"\n' })}:${shell.path}`
    const asked = { PATH: path, DAVIT_LOG: 'journal', DAVIT_LOG_LINES: '7' }
    const always = ['--quiet', '--no-pager', '--no-hostname', '--output=short-unix', '--lines=7']
    expect(await logsOf(scene, asked)).toEqual([...always, '--unit=web.service', '--unit=worker@*.service'])
    expect(await logsOf(scene, { ...asked, DAVIT_LOG_SINCE: '12.5', systemdUserServices: '1' })).toEqual([
      ...always,
      '--since=@12.5',
      '--user-unit=web.service',
      '--user-unit=worker@*.service',
    ])
  })
})

const inDepth = shells.filter((shell) => shell.inDepth)

describe.skipIf(noSupervisor).each(inDepth)('logs of supervisord under $name', (shell) => {
  let server: Supervisord
  beforeAll(async () => {
    server = new Supervisord(new Stateful(shell, 'supervisord-program', {}))
    await server.start()
  })
  afterAll(() => server?.stop())

  test('are the files that it was told, and those that it has chosen itself', async () => {
    const scene = new Stateful(shell, 'supervisord-program', { properties: server.properties })
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
    expect(readFileSync(fileIn(logs), 'utf8')).toBe('web is up\n')
    await scene.succeed('deactivate')
  })
})

describe('logs of Docker', () => {
  let engine: Docker | string
  beforeAll(async () => void (engine = await startDocker()))
  afterAll(async () => typeof engine === 'string' || (await engine.stop()))

  test.each(inDepth)(
    'are those of the container, since a time, with the time of each line: under $name',
    async (shell) => {
      if (typeof engine === 'string') return
      const image = engine.archive('speaks:1', 'echo one; echo two >&2; exec sleep 1000')
      const settings = `dockerImage=${image}\ndockerImageTag=speaks:1\ndockerContainerName=speaks\n`
      const files = { 'web-docker-settings': settings }
      const scene = new Stateful(shell, 'docker-container', { files, properties: engine.properties })
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
    },
  )
})
