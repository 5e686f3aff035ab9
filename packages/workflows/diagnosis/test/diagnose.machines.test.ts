import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import type { ContainerName, ProfileName, ServiceKey, ServiceName, StorePath, TargetName } from '@davit/documents'
import { openSecrets } from '@davit/secrets'
import { openMachine } from '@davit/target'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells, type Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { type DiagnosedMapping, openDiagnosis, runDiagnosis } from '../src/diagnosis.ts'

const SECRET = `it's "$HOME"\n\`secret\``
const MOTTO = "line one\nline 'two' \\ $x ü"

/** A service that is not active on a machine with this shell; its module declares nothing, as those of Dysnomia. */
async function diagnosedOn(shell: Shell) {
  const directory = scratchDirectory()
  const temporary = join(directory, 'tmp')
  const pkg = join(directory, 'store', `${'0'.repeat(32)}-web`)
  for (const path of [temporary, pkg]) mkdirSync(path, { recursive: true })
  const module = join(directory, 'module')
  writeFileSync(module, '#!/bin/sh\necho "$1 with $port" >&2\n')
  chmodSync(module, 0o755)
  const connection = shellConnection(shell, join(directory, 'state'), { environment: { TMPDIR: temporary } })
  const secrets = openSecrets({ environment: { SECRET }, workingDirectory: '/' })
  secrets.trust([{ env: 'SECRET' }])
  const machine = await openMachine(async () => connection, { role: 'logs', secrets })
  const mapping = {
    target: 't1' as TargetName,
    container: 'box' as ContainerName,
    service: 'key' as ServiceKey,
  }
  const service = {
    name: 'web' as ServiceName,
    pkg: pkg as StorePath,
    type: 'module',
    dependsOn: [],
    connectsTo: [],
    providesContainers: new Map(),
  }
  const properties = new Map([
    ['port', '80'],
    ['motto', MOTTO],
    ['PATH', '/nowhere'],
  ])
  const definition = { service, module, properties, secrets: new Map([['password', { text: [{ env: 'SECRET' }] }]]) }
  const source = { ...mapping, service: service.name }
  const diagnosed: DiagnosedMapping = { source, mapping, definition, hasLogs: false, isRecorded: false, machine }
  const told = { stdout: '', stderr: '' }
  const surroundings = {
    profile: 'default' as ProfileName,
    signal: new AbortController().signal,
    environment: {},
    print: async (content: Uint8Array | string) => void (told.stdout += Buffer.from(content).toString()),
    complain: (line: string) => void (told.stderr += `${line}\n`),
  }
  return { diagnosed, surroundings, told, temporary, pkg, module }
}

describe.each(installedShells())('on a machine with $name', (shell) => {
  test('a command gets the environment of the module, and its status is that of the run', async () => {
    const { diagnosed, surroundings, told, temporary, pkg } = await diagnosedOn(shell)
    const command = 'printf "<%s>" "$port" "$motto" "$password" "$DAVIT_TARGET" "$PWD"; printf no >&2; exit 3'
    expect(await runDiagnosis(diagnosed, [command], surroundings)).toBe(3)
    expect(told).toEqual({
      stdout: ['80', MOTTO, SECRET, 't1', pkg].map((text) => `<${text}>`).join(''),
      stderr: 'no\n',
    })
    told.stdout = ''
    expect(await runDiagnosis(diagnosed, ['printf', '[%s]', "a  'b", '$x', ''], surroundings)).toBe(0)
    expect(told.stdout).toBe("[a  'b][$x][]")
    expect(readdirSync(temporary)).toEqual([])
    diagnosed.machine.close()
  })

  test('what a command complains of has no line that it has not printed', async () => {
    const { diagnosed, surroundings, told } = await diagnosedOn(shell)
    expect(await runDiagnosis(diagnosed, ['echo one >&2; echo two >&2'], surroundings)).toBe(0)
    expect(told.stderr).toBe('one\ntwo\n')
    diagnosed.machine.close()
  })

  test('what it leaves for a command meanwhile is private', async () => {
    const { diagnosed, surroundings, told, temporary } = await diagnosedOn(shell)
    const command = `PATH=/usr/bin:/bin; cd '${temporary}'; stat -c %a davit-record.* davit-record.*/record; umask`
    expect(await runDiagnosis(diagnosed, [command], surroundings)).toBe(0)
    // Commands run with the usual umask.
    expect(told.stdout).toMatch(/^700\n600\n0?022\n$/)
    diagnosed.machine.close()
  })

  test('nothing is run where nobody knows the environment', async () => {
    const { diagnosed, surroundings } = await diagnosedOn(shell)
    const refused = (changed: Partial<DiagnosedMapping>, reason: string) =>
      expect(runDiagnosis({ ...diagnosed, ...changed }, ['true'], surroundings)).rejects.toMatchObject({
        code: 'no-environment',
        message: `there is no environment for a command: ${reason}`,
      })
    await refused({ definition: undefined }, "the record of the service on 't1' is damaged")
    const machine = { ...diagnosed.machine, client: {} as never }
    await refused({ machine }, "target 't1' is reached through a client executable")
    diagnosed.machine.close()
  })

  test('the script of a shell is private, removes itself, and gives the same environment', async () => {
    const { diagnosed, surroundings, temporary, pkg, module } = await diagnosedOn(shell)
    const { script } = await openDiagnosis(diagnosed, surroundings)
    const modes = [dirname(script), script].map((path) => (statSync(path).mode & 0o777).toString(8))
    expect([...modes, readdirSync(temporary)]).toEqual(['700', '600', [script.split('/').at(-2)]])
    const typed = 'printf "<%s>" "$port" "$motto" "$password" "$DAVIT_MODULE" "$this_component" "$PWD"; exit 4\n'
    const { status, stdout, stderr } = spawnSync('sh', [script], {
      input: typed,
      encoding: 'utf8',
      env: { PATH: shell.path, HOME: '/' },
    })
    expect([status, stdout]).toEqual([4, ['80', MOTTO, SECRET, module, pkg, pkg].map((text) => `<${text}>`).join('')])
    expect(stderr).toMatch(/^web in box on t1: .*\n(?: {2}DAVIT_.*\n){4}shell with 80\n$/)
    expect(readdirSync(temporary)).toEqual([])
    diagnosed.machine.close()
  })

  test('a script that nobody begins with is removed', async () => {
    const { diagnosed, surroundings, temporary } = await diagnosedOn(shell)
    const { script, remove } = await openDiagnosis(diagnosed, surroundings)
    expect(readFileSync(script, 'utf8')).toContain('secret')
    await remove()
    expect([existsSync(script), readdirSync(temporary)]).toEqual([false, []])
    diagnosed.machine.close()
  })

  test('a module that is missing is named', async () => {
    const { diagnosed, surroundings, temporary } = await diagnosedOn(shell)
    const definition = { ...diagnosed.definition!, module: '/nowhere/module' }
    const refused = runDiagnosis({ ...diagnosed, definition }, ['true'], surroundings)
    await expect(refused).rejects.toMatchObject({ code: 'no-module' })
    expect(readdirSync(temporary)).toEqual([])
    diagnosed.machine.close()
  })
})
