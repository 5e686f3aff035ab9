import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { System } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { type GivenSource, loadArchitecture } from '../src/models.ts'
import { modelsIn } from './models-in.ts'

const INFRASTRUCTURE = 'a: { properties: {} }\n'

async function sourcesOf(directory: string, services: string): Promise<readonly GivenSource[]> {
  let told: readonly GivenSource[] = []
  await loadArchitecture(
    {
      services: join(directory, services),
      infrastructure: join(directory, 'infrastructure.yaml'),
      distribution: join(directory, 'distribution.json'),
    },
    { system: 'x86_64-linux' as System, tellSources: (sources) => (told = sources) },
  )
  return told
}

describe('the files that models were read from', () => {
  test('are the models themselves, and what programs import from files of their own', async () => {
    const files = {
      'services.ts': `
        import { build } from 'davit'
        import { join } from 'node:path'
        import settings from './settings.json' with { type: 'json' }
        import note from './note.txt'
        import { here } from './parts/here.ts'
        import { name } from './parts/plain.ts'
        import classic from 'classic'
        console.log('hello')
        export default { web: { type: 'x', pkg: { source: '.' }, here, note, settings, name, p: join('a', classic), b: String(build) } }`,
      'parts/here.ts': 'export const here = import.meta.filename // where\n',
      'parts/plain.ts': 'export const name: string = "ü"\n',
      'note.txt': 'a note',
      'settings.json': '{ "port": 8080 }\n',
      'node_modules/classic/index.js': 'module.exports = "classic"',
      'infrastructure.yaml': INFRASTRUCTURE,
      'distribution.json': '{ "web": ["a"] }',
    }
    const directory = modelsIn(files)
    const sources = await sourcesOf(directory, 'services.ts')
    expect(sources.map(({ role, file }) => [role, file])).toEqual([
      ['services', join(directory, 'services.ts')],
      ['infrastructure', join(directory, 'infrastructure.yaml')],
      ['distribution', join(directory, 'distribution.json')],
      [undefined, join(directory, 'note.txt')],
      [undefined, join(directory, 'parts/here.ts')],
      [undefined, join(directory, 'parts/plain.ts')],
      [undefined, join(directory, 'settings.json')],
    ])
    for (const { file, text } of sources) expect(text).toBe(readFileSync(file, 'utf8'))
  })

  test('are told even if two models are one file', async () => {
    const directory = modelsIn({ 'both.yaml': INFRASTRUCTURE })
    let told: readonly GivenSource[] = []
    const both = join(directory, 'both.yaml')
    await loadArchitecture(
      { infrastructure: both, packages: both },
      { system: 'x86_64-linux' as System, tellSources: (sources) => (told = sources) },
    ).catch(() => {})
    expect(told).toEqual([{ role: 'infrastructure', file: both, text: INFRASTRUCTURE }])
  })
})
