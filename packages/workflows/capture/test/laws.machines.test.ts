import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { System, TargetName } from '@davit/documents'
import { byName } from '@davit/languages'
import { type InfrastructureOptions, loadInfrastructure, loadTargets } from '@davit/models'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { completedTarget, type CompletedTarget, INFRASTRUCTURE_LANGUAGES, writeInfrastructure } from '../src/capture.ts'
import { parseCaptured } from '../src/parse-captured.ts'
import { told } from './testing.ts'

const { environment } = privateNixOfFile()
const ENDINGS = { yaml: 'yaml', json: 'json', typescript: 'ts', nix: 'nix', xml: 'xml' }
const LANGUAGES = INFRASTRUCTURE_LANGUAGES.filter((language) => language !== 'nix' || noPrivateNix === undefined)
const OPTIONS: InfrastructureOptions = {
  system: 'none' as System,
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  environment,
}

const awkward = fc.constantFrom(
  '',
  ' ',
  'true',
  'null',
  '1.0',
  '"',
  "'",
  '${x}',
  '$(x)',
  '</a>',
  'a\nb\n',
  '\t',
  '- x',
  '\u001b',
  '\u0085',
)
const text = fc.oneof(awkward, fc.string({ unit: 'binary' }))
const word = text.map((one) => `x${Buffer.from(one).toString('hex')}`)
const name = fc
  .oneof(fc.constantFrom('port', 'PATH', 'with', '__proto__', 'constructor', 'a.b', '1', 'type'), text)
  .map((one) => `x${Buffer.from(one).toString('hex')}`)
const setting = fc.oneof(
  fc.tuple(name, word).map(([of, value]) => `text ${of} ${value}`),
  fc.tuple(name, fc.array(word, { maxLength: 3 })).map((words) => ['list', ...words.flat()].join(' ')),
)
const section = fc
  .tuple(
    fc.oneof(
      fc.constant('properties'),
      name.map((of) => `container ${of}`),
    ),
    fc.array(setting, { maxLength: 3 }),
  )
  .map(([head, settings]) => [head, ...settings])
const target = fc
  .tuple(fc.array(section, { maxLength: 3 }), fc.subarray(['process', 'nginx-webapplication']))
  .map(([sections, types]) =>
    completedTarget(
      { properties: new Map([['hostname', 'vm']]), containers: new Map(), attributes: new Map() },
      parseCaptured(told({ types: types.map((type) => `type ${type}`), settings: sections.flat() }), 'vm'),
    ),
  )
const targets = fc
  .dictionary(fc.constantFrom('a', 'web1.example.org', '__proto__', 'with', '1'), target, { maxKeys: 3 })
  .map((table) => new Map(Object.entries(table).map(([of, completed]) => [of as TargetName, completed.target])))

async function expectSame(given: ReadonlyMap<TargetName, CompletedTarget>): Promise<void> {
  const wanted = new Map(
    [...given].map(([of, one]) => [of, { ...one, clientInterface: 'ssh', targetProperty: 'hostname' }]),
  )
  const directory = scratchDirectory()
  for (const language of LANGUAGES) {
    const file = join(directory, `infrastructure.${ENDINGS[language]}`)
    writeFileSync(file, writeInfrastructure(given, language))
    // One after the other, so that the first that fails is the only one.
    // oxlint-disable-next-line no-await-in-loop
    const read = await loadInfrastructure(file, OPTIONS)
    expect({ language, read: new Map([...read].toSorted(byName)) }).toEqual({
      language,
      read: new Map([...wanted].toSorted(byName)),
    })
  }
}

test('what is written is read as the same infrastructure, in every language', async () => {
  await fc.assert(fc.asyncProperty(targets, expectSame), { numRuns: 8 })
})

test('what is completed stays what it is, with the attributes that davit does not read', async () => {
  const directory = scratchDirectory()
  const model = `t: { properties: { hostname: vm }, containers: { process: { key: { secret: { env: KEY } } } }, room: [12, b], weight: 1.0 }\n`
  const files = LANGUAGES.filter((language) => language !== 'xml').map((language) =>
    join(directory, `i.${ENDINGS[language]}`),
  )
  writeFileSync(join(directory, 'first.yaml'), model)
  const load = async (file: string) => {
    const { targets, warnings } = await loadTargets(file, OPTIONS)
    return { targets, warnings }
  }
  const first = await load(join(directory, 'first.yaml'))
  const { attributes, ...rest } = first.targets.get('t' as TargetName) ?? { attributes: new Map() }
  const written = new Map([['t' as TargetName, { ...Object.fromEntries(attributes), ...rest } as CompletedTarget]])
  for (const [at, file] of files.entries()) {
    writeFileSync(file, writeInfrastructure(written, LANGUAGES[at] ?? 'yaml'))
    // oxlint-disable-next-line no-await-in-loop
    expect({ file, ...(await load(file)) }).toEqual({ file, ...first })
  }
})
