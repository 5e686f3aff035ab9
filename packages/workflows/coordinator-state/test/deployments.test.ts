import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ProfileName } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, expect, test } from 'vitest'

import {
  deploymentPlace,
  nextRollback,
  nothingDeployed,
  otherDeployments,
  readGeneration,
} from '../src/coordinator-state.ts'

let state: string
const placeOf = (profile: string) => deploymentPlace(state, profile as ProfileName)

beforeEach(() => void (state = scratchDirectory()))

const NONE =
  'nothing has been deployed from this coordinator; if its state was lost, davit-reconstruct reads back what targets have'
const OTHERS =
  "nothing has been deployed under this name from this coordinator, only 'blog', 'shop'; select one of them with -p NAME"

test('other deployments are those with generations, whatever else lies there', async () => {
  expect([await otherDeployments(placeOf('default')), await nothingDeployed(placeOf('default'))]).toEqual([[], NONE])
  for (const profile of ['shop', 'blog', 'default', '.hidden', 'not ours']) {
    mkdirSync(join(placeOf(profile), 'generations/3'), { recursive: true })
  }
  mkdirSync(join(placeOf('only-tried'), 'journal'), { recursive: true })
  mkdirSync(join(placeOf('all-deleted'), 'generations'), { recursive: true })
  writeFileSync(placeOf('a-file'), '')
  expect(await otherDeployments(placeOf('default'))).toEqual(['blog', 'shop'])
  expect(await otherDeployments(placeOf('shop'))).toEqual(['blog', 'default'])
})

test.each<readonly [string, (place: string) => Promise<unknown>]>([
  ['a rollback', nextRollback],
  ['a generation that is asked for', (place) => readGeneration(place, 3)],
])('%s of what was never deployed from here names what was', async (_, ask) => {
  await expect(ask(placeOf('default'))).rejects.toMatchObject({ code: 'no-generation', hint: NONE })
  for (const profile of ['shop', 'blog']) mkdirSync(join(placeOf(profile), 'generations/1'), { recursive: true })
  await expect(ask(placeOf('default'))).rejects.toMatchObject({ code: 'no-generation', hint: OTHERS })
})
