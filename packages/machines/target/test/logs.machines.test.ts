import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'

import { openSecrets } from '@davit/secrets'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import {
  callLogs,
  type FilePart,
  listActivityLogs,
  type Machine,
  openMachine,
  performActivity,
  readFiles,
} from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

/** Reads one file again and again, each time from where it stopped. */
function reader(machine: Machine<'logs'>, path: string, { bytes = 1000, lines = 3 } = {}) {
  let position: string | undefined
  return async (): Promise<FilePart | undefined> => {
    const { parts } = await readFiles(machine, { files: [{ path, position }], bytes, lines })
    position = parts[0]?.position ?? position
    return parts[0]
  }
}

describe.each(notingShells())('logs on a machine with $name', (shell) => {
  async function opened() {
    const scene = await Scene.open(shell)
    return { scene, machine: await scene.machineFor('logs'), log: scene.path('the log') }
  }

  test('are read from where they were read before', async () => {
    const { machine, log } = await opened()
    const read = reader(machine, log)
    expect(await read()).toBeUndefined()
    writeFileSync(log, 'one\ntwo\nthree\nfour\n')
    const first = await read()
    expect(first).toMatchObject({ index: 0, text: 'two\nthree\nfour\n', skipped: 0 })
    expect(Math.abs((first?.changed ?? 0) - Date.now())).toBeLessThan(600_000)
    expect((await read())?.text ?? '').toBe('')
    appendFileSync(log, 'five\nsi')
    expect(await read()).toMatchObject({ text: 'five\nsi' })
    appendFileSync(log, 'x\n\0\x1b[31m ü\n')
    expect(await read()).toMatchObject({ text: 'x\n\0\x1b[31m ü\n' })
  })

  test('go on in the file that takes the place of another', async () => {
    const { machine, log } = await opened()
    const read = reader(machine, log)
    writeFileSync(log, 'one\n')
    await read()
    appendFileSync(log, 'two\n')
    renameSync(log, `${log}.1`)
    expect(await read()).toBeUndefined()
    writeFileSync(log, 'three\n')
    expect(await read()).toMatchObject({ text: 'two\nthree\n' })
    // Often with the same number, and here with the same size.
    rmSync(log)
    writeFileSync(log, 'again\n')
    expect(await read()).toMatchObject({ text: 'again\n' })
    truncateSync(log)
    appendFileSync(log, 'new\n')
    expect(await read()).toMatchObject({ text: 'new\n' })
  })

  test.runIf(shell.inDepth)('lose what is too much, and begin with a whole line', async () => {
    const { machine, log } = await opened()
    writeFileSync(log, 'x'.repeat(40))
    appendFileSync(log, '\n1234567\n')
    const read = reader(machine, log, { bytes: 16, lines: 9 })
    expect(await read()).toMatchObject({ text: '1234567\n', skipped: 0 })
    appendFileSync(log, `${'y'.repeat(39)}\n`)
    expect(await read()).toMatchObject({ text: `${'y'.repeat(15)}\n`, skipped: 24 })
  })

  test.runIf(shell.inDepth)('are read from files only, as many as there are', async () => {
    const { scene, machine, log } = await opened()
    writeFileSync(log, 'a\n')
    mkdirSync(scene.path('directory'))
    const paths = [scene.path('directory'), '/dev/zero', log, scene.path('missing'), 'relative', log]
    const files = paths.map((path) => ({ path, position: undefined }))
    const { now, zone, parts } = await readFiles(machine, { files, bytes: 10, lines: 1 })
    expect(parts.map(({ index, text }) => [index, text])).toEqual([
      [2, 'a\n'],
      [5, 'a\n'],
    ])
    expect([Math.abs(now - Date.now()) < 600_000, zone]).toEqual([true, 0 - new Date().getTimezoneOffset()])
  })

  test('are told by modules that have that activity, which get properties and secrets', async () => {
    const { scene } = await opened()
    const script = 'case $1 in logs) echo "$1 $2 $3 $port $password $DAVIT_LOG"; exit ${DAVIT_STATUS:-0} ;; esac'
    const module = scene.module(script, ['activate', 'logs'])
    const request = scene.request('activate')
    expect(await performActivity(scene.machine, request)).toEqual({ kind: 'succeeded' })
    const environment = { PASSWORD: "it's" }
    const secrets = openSecrets({ environment, workingDirectory: '/' })
    secrets.trust([{ env: 'PASSWORD' }])
    const machine = await openMachine(async () => scene.connection, { role: 'logs', secrets })
    const definition = { ...request.definition!, secrets: new Map([['password', { text: [{ env: 'PASSWORD' }] }]]) }
    const call = { profile: scene.profile, mapping: scene.mapping, definition, seconds: 30, bytes: 1000 }
    const told = await callLogs(machine, { ...call, variables: { DAVIT_LOG: 'a b' } })
    expect(told).toEqual({ text: `logs ${definition.service.pkg} process 80 it's a b\n`, isCut: false })
    expect(await callLogs(machine, { ...call, variables: { DAVIT_STATUS: '7' } })).toMatchObject({ failure: 7 })
    expect(await callLogs(machine, { ...call, variables: {}, bytes: 3 })).toEqual({ text: 's \n', isCut: true })
    rmSync(`${module}.activities`)
    expect((await callLogs(machine, { ...call, variables: {} })).text).toBe('')
    machine.close()
  })

  test.runIf(shell.inDepth)('of a module that does not end are given up', async () => {
    const { scene, machine } = await opened()
    scene.module('case $1 in logs) echo begun; exec sleep 1000 ;; esac', ['activate', 'logs'])
    const { definition, ...request } = scene.request('activate')
    expect(await performActivity(scene.machine, { ...request, definition: definition! })).toEqual({ kind: 'succeeded' })
    const call = { profile: scene.profile, mapping: scene.mapping, definition: definition!, variables: {}, bytes: 1000 }
    expect(await callLogs(machine, { ...call, seconds: 1 })).toEqual({ text: 'begun\n', isCut: false, failure: 252 })
  })

  test('of activities are named, and nothing else that lies there', async () => {
    const { scene, machine } = await opened()
    scene.module('echo begun', ['activate'])
    expect(await performActivity(scene.machine, scene.request('activate'))).toEqual({ kind: 'succeeded' })
    const log = scene.path('state/targets/t1/log/default/process:key')
    // An activity that has succeeded does not wait for its log.
    await until(() => existsSync(`${log}.activate`))
    // An empty end is removed when the log is complete, so these are never empty.
    for (const name of ['.activate.1', '.activate.3', '.collect-garbage', '.Odd name']) {
      writeFileSync(scene.path('said'), 'said')
      renameSync(scene.path('said'), `${log}${name}`)
    }
    const on = {
      target: scene.mapping.target,
      mappings: [{ ...scene.mapping, container: 'other' as never }, scene.mapping],
    }
    expect(await listActivityLogs(machine, scene.profile, on)).toEqual([
      { mapping: scene.mapping, activity: 'activate', path: `${log}.activate` },
      { mapping: scene.mapping, activity: 'activate', path: `${log}.activate.3` },
      { mapping: scene.mapping, activity: 'collect-garbage', path: `${log}.collect-garbage` },
    ])
  })

  testCalls(shell, 'logs')
})
