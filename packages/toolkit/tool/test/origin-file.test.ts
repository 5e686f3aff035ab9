import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ReportEvent } from '@davit/diagnostics'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { encodeOrigin, readOrigin } from '../src/tool.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

function read(origin: string | undefined) {
  const told: ReportEvent[] = []
  const context = {
    args: { origin: origin === undefined ? undefined : 'origin' },
    workingDirectory: scratchDirectory(),
    report: (one: ReportEvent) => void told.push(one),
  }
  if (origin !== undefined) writeFileSync(join(context.workingDirectory, 'origin'), origin)
  return { told, madeFrom: readOrigin(context) }
}

test('readOrigin() adds the version of davit, whatever was handed on', async () => {
  expect(await read(undefined).madeFrom).toEqual({ davit: version })
  expect(await read(encodeOrigin({ davit: '0.0.1' })).madeFrom).toEqual({ davit: version })
})

test('readOrigin() reports what is damaged, and keeps the rest', async () => {
  const { madeFrom, told } = read(`${encodeOrigin({ models: [] })}{"models"`)
  expect(await madeFrom).toEqual({ davit: version, models: [] })
  expect(told).toMatchObject([{ code: 'origin-damaged' }])
})
