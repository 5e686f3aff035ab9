import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploymentPlace } from '@davit/coordinator-state'
import type { ProfileName } from '@davit/documents'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { listGenerations, renderGenerations } from '../src/list-generations.ts'

const ORIGIN = '{"time":"2026-11-20T10:00:00.000Z","user":"alice","host":"coordinator"}'
const MANIFEST =
  '{ "document": "manifest", "version": 2, "profiles": {}, "services": {}, "infrastructure": {}, "serviceMappings": [], "snapshotMappings": [] }'

test('whatever the files of a generation hold, it is one short line that draws nothing', patience, async () => {
  const state = mkdtempSync(join(tmpdir(), 'davit-hostile-generations-'))
  const place = deploymentPlace(state, 'default' as ProfileName)
  const directory = join(place, 'generations/1')
  mkdirSync(directory, { recursive: true })
  const named = fc
    .tuple(awkwardText, awkwardText)
    .map(([user, host]) => JSON.stringify({ time: '2026-11-20', user, host }))
  const manifests = fc.oneof({ weight: 4, arbitrary: fc.constant(MANIFEST) }, mutationsOf([MANIFEST]))
  let inputs = 0
  try {
    await fc.assert(
      fc.asyncProperty(fc.oneof(named, mutationsOf([ORIGIN]), awkwardText), manifests, async (origin, manifest) => {
        inputs += 1
        writeFileSync(join(directory, 'origin.json'), origin)
        writeFileSync(join(directory, 'manifest'), manifest)
        // oxlint-disable-next-line no-control-regex
        expect(renderGenerations(await listGenerations(place))).toMatch(
          /^ {3}1 {2}[^\u0000-\u001f\u007f-\u009f\u202e]{1,2000}\n$/,
        )
      }),
      runs(150),
    )
  } finally {
    rmSync(state, { recursive: true })
  }
  tellFigure(`generations: ${inputs} hostile inputs, each a line`)
})
