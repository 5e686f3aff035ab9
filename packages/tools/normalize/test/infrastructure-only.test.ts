import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Infrastructure, parseDocument } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const MODEL = `
web: { properties: { hostname: web.example }, containers: { process: { key: { secret: { file: keys/web } } } }, numOfCores: 4 }
db: { properties: { address: db.example }, targetProperty: address, system: aarch64-linux, room: 12 }
`

const normalize = (directory: string, argv: readonly string[], environment = {}) =>
  runHere(tool, ['--infrastructure-only', '-i', join(directory, 'infrastructure.yaml'), ...argv], {
    environment: { DAVIT_SYSTEM: 'x86_64-linux', DAVIT_STORE_DIR: join(directory, 'store'), ...environment },
  })

function directoryWith(model: string): string {
  const directory = scratchDirectory()
  writeFileSync(join(directory, 'infrastructure.yaml'), model)
  return directory
}

test('davit-normalize --infrastructure-only prints all targets with every default', async () => {
  const directory = directoryWith(MODEL)
  const { status, stdout, stderr } = await normalize(directory, ['--interface', 'local'])
  expect([status, stderr]).toEqual([0, ''])
  const infrastructure = parseDocument(Infrastructure, stdout, { file: 'stdout' })
  const secret = new Map([['secret', new Map([['file', join(directory, 'keys/web')]])]])
  const common = { clientInterface: 'local', containers: new Map() }
  expect(Object.fromEntries(infrastructure)).toEqual({
    db: {
      ...common,
      properties: new Map([['address', 'db.example']]),
      targetProperty: 'address',
      system: 'aarch64-linux',
      numOfCores: 1,
    },
    web: {
      ...common,
      properties: new Map([['hostname', 'web.example']]),
      containers: new Map([['process', new Map([['key', secret]])]]),
      targetProperty: 'hostname',
      system: 'x86_64-linux',
      numOfCores: 4,
    },
  })
})

test('what davit-normalize --infrastructure-only prints is a model of the same infrastructure', async () => {
  const directory = directoryWith(MODEL)
  const { stdout } = await normalize(directory, ['--interface', 'local', '--output', join(directory, 'whole.json')])
  expect(stdout).toBe('')
  const again = await runHere(tool, ['--infrastructure-only', '-i', join(directory, 'whole.json')])
  expect(again).toEqual({ status: 0, stdout: readFileSync(join(directory, 'whole.json'), 'utf8'), stderr: '' })
})

test('davit-normalize --infrastructure-only needs no store, and no place for its state', async () => {
  const directory = directoryWith(MODEL)
  mkdirSync(join(directory, 'state'), { mode: 0o500 })
  const environment = { DAVIT_STORE_DIR: 'nonsense', DAVIT_STATE_DIR: join(directory, 'state') }
  expect(await normalize(directory, [], environment)).toMatchObject({ status: 0, stderr: '' })
})

test('davit-normalize --infrastructure-only tells mistakes and warnings with their places', async () => {
  const wrong = await normalize(directoryWith('web: { properties: { hostnam: web } }\n'), [])
  expect(wrong).toMatchObject({ status: 65, stdout: '' })
  expect(wrong.stderr).toContain("infrastructure.yaml:1:8: error: target 'web' has no property 'hostname'")
  const odd = await normalize(directoryWith('web: { properties: { hostname: web }, numOfCore: 2 }\n'), [])
  expect(odd.status).toBe(0)
  expect(odd.stderr).toContain("warning: attribute 'numOfCore' has no meaning for davit in a target")
})
