import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { durableStepsOf, noStrace } from '@davit/testing/system-calls'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()
const program = new URL('../src/store.ts', import.meta.url).pathname

test.skipIf(noStrace !== undefined)(
  'a package is on the disk before its place, that before its record, and that in the end',
  async () => {
    const directory = scratchDirectory()
    const [source, store] = [join(directory, 'file'), join(directory, 'store')]
    writeFileSync(source, 'content\n')
    const compiled = await compile(`import { openNativeStore } from '${program}'
    const store = await openNativeStore({ directory: '${store}', environment: process.env })
    const spec = { kind: 'source', path: '${source}' }
    await store.instantiate([{ spec, system: 'x86_64-linux', wantedBy: { service: 'web' } }])`)
    const all = durableStepsOf(compiled)
    const steps = all.filter((step) => !step.startsWith('created') && step.includes(store))
    const names = steps.map((step) =>
      step
        .replaceAll(store, 'S')
        .replaceAll(/incoming\/[^/ ]*/g, 'incoming')
        .replaceAll(/[0-9a-z]{32}-file/g, 'NAME'),
    )
    const begin = names.findIndex((step) => step.endsWith(' S/NAME'))
    expect(names[begin - 1]).toMatch(/^synced S\/\.davit\/incoming\//)
    expect(names.slice(begin).filter((step) => !/roots|commit/.test(step))).toEqual([
      expect.stringMatching(/^renamed S\/\.davit\/incoming\/\S+ S\/NAME$/),
      'synced S',
      'synced S/.davit/incoming',
      'synced S/.davit/incoming/NAME.json',
      'renamed S/.davit/incoming/NAME.json S/.davit/registrations/NAME.json',
      'synced S/.davit/registrations',
    ])
    const modes = ['.', '.davit', '.davit/registrations'].map((path) => statSync(join(store, path)).mode & 0o777)
    expect(modes).toEqual([0o755, 0o755, 0o755])
    const [record = ''] = readdirSync(join(store, '.davit/registrations'))
    expect(statSync(join(store, '.davit/registrations', record)).mode & 0o777).toBe(0o644)
  },
)
