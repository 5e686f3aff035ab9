import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '@davit/testing/wait'

import { configured, installedShells, logsOf, Scene, scratchPath } from './scene.ts'
import { Stateful } from './stateful.ts'

const shells = installedShells()

describe.each(shells)('logs under $name', (shell) => {
  test('process names the file with the output of its program', async () => {
    const scene = new Scene(shell, configured('', { 'bin/web': '#!/bin/sh\necho up\nexec sleep 1000\n' }))
    expect((await scene.call('activate')).status).toBe(0)
    expect(await logsOf(scene)).toEqual([`file ${scene.log}`])
    await until(() => expect(readFileSync(scene.log, 'utf8')).toBe('up\n'))
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
