import { statSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { durableStepsOf, noStrace } from '@davit/testing/system-calls'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()
const program = new URL('../src/coordinator-state.ts', import.meta.url).pathname

/** Runs a script; returns its steps, and the modes of the files that it leaves. */
async function remembering(script: string) {
  const state = join(scratchDirectory(), 'state')
  const place = join(state, 'coordinator/default')
  const compiled = await compile(`import { addGeneration, openJournal } from '${program}'
    const place = '${place}'
    ${script}`)
  const steps = durableStepsOf(compiled)
    .filter((step) => step.includes(state))
    .map((step) => step.replaceAll(/\.davit-[0-9a-f]{16}/g, 'T').replaceAll(place, 'P'))
  return { steps, mode: (path: string) => (statSync(join(state, path)).mode & 0o777).toString(8) }
}

const written = (path: string, mode: string) => {
  const directory = path.slice(0, path.lastIndexOf('/'))
  return [
    `created ${mode} ${directory}/T`,
    `synced ${directory}/T`,
    `renamed ${directory}/T ${path}`,
    `synced ${directory}`,
  ]
}

test.skipIf(noStrace !== undefined)(
  'a generation is whole on the disk before it counts, and for its owner alone',
  async () => {
    const { steps, mode } = await remembering(`
    const origin = { time: new Date(), user: 'me', host: 'here' }
    const text = '{}'
    await addGeneration(place, { manifest: {}, text, origin, madeFrom: { davit: '1' } })`)
    expect(steps).toEqual([
      ...written('P/generations/.new/origin.json', '0600'),
      ...written('P/generations/.new/made-from.json', '0600'),
      ...written('P/generations/.new/manifest', '0600'),
      'renamed P/generations/.new P/generations/1',
      'synced P/generations',
      ...written('P/current', '0666'),
    ])
    const made = ['', '/generations', '/generations/1'].map((path) => mode(`coordinator/default${path}`))
    expect(made).toEqual(['700', '700', '700'])
    const files = ['manifest', 'origin.json', 'made-from.json'].map(
      (name) => `coordinator/default/generations/1/${name}`,
    )
    expect(files.map((path) => mode(path))).toEqual(['600', '600', '600'])
  },
)

test.skipIf(noStrace !== undefined)(
  'a journal is on the disk when it is synced, name included, and for its owner alone',
  async () => {
    const { steps, mode } = await remembering(`
    const journal = openJournal(place)
    journal.append({ kind: 'note', time: '', id: '1', message: 'hello' })
    journal.sync()`)
    expect(steps).toEqual(['created 0600 P/journal/1', 'synced P/journal/1', 'synced P/journal'])
    const made = [
      '',
      'coordinator',
      'coordinator/default',
      'coordinator/default/journal',
      'coordinator/default/journal/1',
    ]
    expect(made.map(mode)).toEqual(['755', '700', '700', '700', '600'])
  },
)
