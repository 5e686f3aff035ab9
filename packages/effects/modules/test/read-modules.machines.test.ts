import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DavitError } from '@davit/diagnostics'
import { patience, runs } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readModules } from '../src/read-modules.ts'

const modulesDirectory = fileURLToPath(new URL('../modules', import.meta.url))

test('readModules() reads the modules of davit', async () => {
  const modules = await readModules(modulesDirectory)
  expect([...modules.keys()]).toEqual([
    'apache-webapplication',
    'docker-container',
    'echo',
    'fileset',
    'influx-database',
    'mysql-database',
    'nginx-webapplication',
    'postgresql-database',
    'process',
    'subversion-repository',
    'supervisord-program',
    'systemd-unit',
    'sysvinit-script',
    'tomcat-webapplication',
    'wrapper',
  ])
  expect(modules.get('echo')?.activities).toEqual(['activate', 'deactivate', 'lock', 'unlock'])
  expect(modules.get('process')?.script).toEqual(await readFile(join(modulesDirectory, 'process')))
})

test('readModules() gives a module without declaration the activities of Dysnomia, without status', async () => {
  const directory = await directoryOf({ 'mysql-database': '#!/bin/bash\n', 'README.md': 'prose', '.hidden': '' })
  const modules = await readModules(directory)
  expect([...modules.keys()]).toEqual(['mysql-database'])
  expect(modules.get('mysql-database')?.activities).toEqual(expect.arrayContaining(['activate', 'lock', 'snapshot']))
  expect(modules.get('mysql-database')?.activities).not.toContain('status')
})

test('readModules() reports all problems of a directory at once', async () => {
  const directory = await directoryOf({
    plain: 'not executable',
    'b@d': '#!/bin/sh\n',
    'stray.activities': 'activate\n',
    queer: '#!/bin/sh\n',
    'queer.activities': 'activate\nSTOP IT\n\n',
  })
  const failure = await readModules(directory).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DavitError)
  const { code, exitStatus, diagnostics } = failure as DavitError
  expect([code, exitStatus]).toEqual(['invalid-modules', 65])
  expect(diagnostics.map(({ message, place }) => [place?.file, place?.line, message])).toEqual([
    [join(directory, 'stray.activities'), undefined, 'there is no module of this name in the directory'],
    [join(directory, 'b@d'), undefined, 'the name of a module may contain only letters, digits and _.+-'],
    [join(directory, 'plain'), undefined, 'the module is not executable'],
    [join(directory, 'queer.activities'), 2, "'STOP IT' is not the name of an activity"],
  ])
})

test('readModules() names modules and declarations that cannot be read', async () => {
  const directory = await directoryOf({ sealed: '#!/bin/sh\n', fine: '#!/bin/sh\n', secret: '#!/bin/sh\n' })
  const unreadable = '/proc/self/mem'
  await rm(join(directory, 'sealed'))
  await symlink(unreadable, join(directory, 'sealed'))
  await symlink(unreadable, join(directory, 'secret.activities'))
  const failure = await readModules(directory).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'invalid-modules', exitStatus: 65 })
  const problems = (failure as DavitError).diagnostics.filter(({ message }) =>
    message.startsWith('it cannot be read: '),
  )
  expect(problems.map(({ place }) => place?.file)).toEqual([
    join(directory, 'sealed'),
    join(directory, 'secret.activities'),
  ])
})

test('readModules() fails on a directory that is not there', async () => {
  const failure = await readModules('/nonexistent').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'unreadable-modules', exitStatus: 66 })
})

test('readModules() accepts any text as a declaration, or reports what is wrong with it', patience, async () => {
  const directory = await directoryOf({ queer: '#!/bin/sh\n' })
  const texts = fc.oneof(mutationsOf(['activate\ndeactivate\nstatus\n', '\r\nactivate\r\n']), awkwardText)
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      await writeFile(join(directory, 'queer.activities'), text)
      const modules = await readModules(directory).catch(diagnosticsOf)
      const activities = modules instanceof Map ? modules.get('queer')?.activities : []
      expect(activities?.every((activity: string) => /^[a-z][a-z0-9-]*$/.test(activity))).toBe(true)
    }),
    runs(80),
  )
})

/** Problems that a refusal lists. */
function diagnosticsOf(error: unknown): unknown {
  if (error instanceof DavitError && error.diagnostics.length > 0) return error.diagnostics
  throw error
}

/** Files by name; those with `#!` are executable. */
async function directoryOf(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-read-modules-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
  }
  return directory
}
