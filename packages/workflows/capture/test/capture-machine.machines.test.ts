import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, hostname, totalmem } from 'node:os'
import { join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import { currentSystem } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells, type Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'

import { captureMachine } from '../src/capture.ts'

interface Surroundings {
  /** Programs by name, as scripts. */
  readonly programs?: Readonly<Record<string, string>>
  /** Files of the settings of Dysnomia. */
  readonly settings?: Readonly<Record<string, string>>
  readonly seconds?: number
}

function machine(shell: Shell, { programs = {}, settings = {}, seconds }: Surroundings) {
  const directory = scratchDirectory()
  const write = (path: string, text: string, mode: number) => {
    const file = join(directory, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
  }
  for (const [name, script] of Object.entries(programs)) write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755)
  for (const [name, text] of Object.entries(settings)) write(`dysnomia/${name}`, text, 0o644)
  const connection = shellConnection(shell, directory, {
    environment: {
      PATH: `${directory}/bin:${shell.path}`,
      DYSNOMIA_PROPERTIES: `${directory}/dysnomia/properties`,
      DYSNOMIA_CONTAINERS_PATH: `${directory}/dysnomia/containers`,
      directory,
    },
  })
  const signal = new AbortController()
  const options = { signal: signal.signal, ...(seconds === undefined ? {} : { seconds }) }
  return { connection, directory, interrupt: () => signal.abort(new Error('interrupted')), options }
}

const capture = (shell: Shell, surroundings: Surroundings = {}) => {
  const { connection, options } = machine(shell, surroundings)
  return captureMachine(connection, options)
}

/** Programs whose presence makes a type, and where a machine may have them besides. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  'supervisord-program': ['supervisord', 'supervisorctl'],
  'docker-container': ['docker'],
  'apache-webapplication': ['apache2ctl'],
  'nginx-webapplication': ['nginx'],
  'mysql-database': ['mariadbd', 'mariadb'],
  'postgresql-database': ['postgres', 'psql', 'pg_dump'],
}

describe.each(installedShells())('a machine with $name', (shell) => {
  test('tells its kernel, name, cores, memory and disk', async () => {
    const captured = await capture(shell)
    expect(captured).toMatchObject({
      system: currentSystem({}),
      name: hostname(),
      numOfCores: availableParallelism(),
      memoryMB: Math.round(totalmem() / 1_000_000),
      properties: new Map(),
      containers: new Map(),
      unreadable: undefined,
    })
    expect(captured.diskMB).toBeGreaterThan(100)
  })

  test('has types that need no program, and those whose programs are installed', async () => {
    const programs = Object.fromEntries(Object.values(SERVERS).flatMap((names) => names.map((name) => [name, ''])))
    const { types } = await capture(shell, { programs: { ...programs, influx: '', influxd: 'echo InfluxDB v1.8.10' } })
    const found = [...types.keys()]
    expect(found.slice(0, 3)).toEqual(['process', 'wrapper', 'fileset'])
    expect(found).toEqual(expect.arrayContaining([...Object.keys(SERVERS), 'influx-database']))
    expect(found.includes('systemd-unit')).toBe(existsSync('/run/systemd/system'))
    const root = existsSync('/var/www/html') ? [['documentRoot', '/var/www/html']] : []
    expect([...(types.get('apache-webapplication') ?? [])]).toEqual(root)
  })

  test('has no type of which only a part is installed, or in another version', async () => {
    const isReal = (name: string) =>
      ['/usr/bin', '/usr/sbin', '/usr/local/sbin'].some((place) => existsSync(join(place, name)))
    const programs = { influxd: 'echo InfluxDB v2.7.1', influx: '', svnadmin: '', svnlook: '', httpd: '' }
    const { types } = await capture(shell, { programs })
    const isExpected = {
      'influx-database': false,
      'subversion-repository': ['/srv/svn', '/var/lib/svn', '/var/svn'].some((place) => existsSync(place)),
      'apache-webapplication': isReal('apache2ctl') || isReal('apachectl'),
      'nginx-webapplication': isReal('nginx'),
    }
    expect(Object.fromEntries(Object.keys(isExpected).map((type) => [type, types.has(type)]))).toEqual(isExpected)
  })

  test('has settings of Dysnomia, with lists', async () => {
    const settings = {
      properties: 'mem=$((1 + 1))\nsupportedTypes=(process "a b")\nempty=\n',
      'containers/process': 'type=process\nruntimeDir=/run\n',
      'containers/mongo-database': 'mongoPort=1\n',
    }
    const { properties, containers } = await capture(shell, { settings })
    expect(Object.fromEntries(properties)).toEqual({ mem: '2', supportedTypes: ['process', 'a b'], empty: '' })
    expect(Object.fromEntries(containers)).toEqual({
      process: new Map([['runtimeDir', '/run']]),
      'mongo-database': new Map([['mongoPort', '1']]),
    })
  })

  test('has its settings up to a mistake, and says where that is', async () => {
    const settings = { properties: 'a=b\nno value\nc=d\n', 'containers/process': '' }
    const { properties, containers, unreadable, types } = await capture(shell, { settings })
    expect(Object.fromEntries(properties)).toEqual({ a: 'b' })
    expect([containers.size, types.has('process')]).toEqual([0, true])
    expect(unreadable).toMatch(/\/dysnomia\/properties:2: expected NAME=VALUE$/)
  })

  // The utilities of busybox are its own.
  test.skipIf(shell.name === 'busybox').each([
    ['a kernel that is none', { uname: String.raw`printf 'Linux \033[31m\n'` }],
    ['a number that is none', { nproc: 'echo 0x10' }],
    ['more cores than there are', { nproc: 'echo 1000000' }],
    ['lines of its own', { nproc: String.raw`printf '2\ntype x\n'` }],
    ['a size that is none', { df: 'echo h; echo d -1' }],
  ])('that tells %s is refused', async (_, programs) => {
    await expect(capture(shell, { programs })).rejects.toMatchObject({ code: 'bad-answer', exitStatus: 69 })
  })

  test('that floods is refused', async () => {
    const flood =
      '"$@" | while IFS= read -r line; do echo "$line"; case $line in kernel*) exec yes "type process" ;; esac; done'
    const { directory, options } = machine(shell, { programs: { flood } })
    const connection = shellConnection(shell, directory, { within: `${directory}/bin/flood` })
    await expect(captureMachine(connection, options)).rejects.toMatchObject({ code: 'bad-answer', exitStatus: 69 })
  })

  test('that does not end is given up in time, with all that it has started', async () => {
    const waits = 'echo $$ >"$directory/waits"; while [ -e "$directory/waits" ]; do sleep 0.1; done'
    const settings = { properties: `a=$(${waits})\n` }
    const { connection, options, directory } = machine(shell, { settings, seconds: 1 })
    await expect(captureMachine(connection, options)).rejects.toMatchObject({ code: 'no-answer', exitStatus: 69 })
    await until(() => expect(processesWith(directory)).toEqual([]))
  })

  test('is not waited for any longer after an interruption', async () => {
    const settings = { properties: 'a=$(: >"$directory/waits"; while [ -e "$directory/waits" ]; do sleep 0.1; done)\n' }
    const { connection, options, directory, interrupt } = machine(shell, { settings })
    const failed = captureMachine(connection, options).catch((error: unknown) => error)
    await until(() => expect(existsSync(join(directory, 'waits'))).toBe(true))
    interrupt()
    expect(await failed).toEqual(new Error('interrupted'))
    await until(() => expect(processesWith(directory)).toEqual([]))
  })
})

/** Processes whose environment names a directory. */
function processesWith(directory: string): readonly string[] {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(`directory=${directory}`),
  )
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}
