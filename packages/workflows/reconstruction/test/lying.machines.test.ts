import { isDeepStrictEqual } from 'node:util'

import { encodeDocument, Manifest, parseDocument, ProfileManifest, type TargetName } from '@davit/documents'
import { openMachine, type ShellTarget } from '@davit/target'
import { connectionTo, lying } from '@davit/target/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Choice, type Name, partOf, type ReadBack, textOf, TwoTargets } from './two-targets.ts'

/** What a machine answers to the two requests, without the words that frame the lines. */
interface Answers {
  readonly observe: readonly string[]
  readonly read_profiles: readonly string[]
}

const targets = new TwoTargets()
const deployed = encodeDocument(Manifest, targets.manifest, 'json')
const honest = new Map<Name, Answers>()
let lies = 0

beforeAll(async () => {
  for (const name of ['alpha', 'beta'] as const) honest.set(name, await answersOf(name))
})
afterAll(() => tellFigure(`targets that lie while a deployment is read back: ${lies} answers, each believed or named`))

async function answersOf(name: Name): Promise<Answers> {
  const { machine } = await targets.open(name)
  const observe = await machine.request('observe', ['default'])
  const profiles = await machine.request('read_profiles', ['default', name])
  machine.close()
  return { observe, read_profiles: profiles }
}

async function saying(name: Name, { observe, read_profiles: profiles }: Answers): Promise<ShellTarget> {
  const framed = (lines: readonly string[]) => [...lines.map((line) => `ID + ${line}`), 'ID =']
  const connection = connectionTo({
    answer: (line, far) => lying(...framed(line.includes(' observe ') ? observe : profiles))(line, far),
  })
  // Two machines are told apart by the places of their state.
  const machine = await openMachine(async () => connection)
  const facts = { ...machine.facts, stateDirectory: `/${name}` }
  return { name: name as TargetName, machine: { ...machine, facts } }
}

const choices: fc.Arbitrary<Choice> = fc.record(
  { prefer: fc.constantFrom('profile' as const, 'records' as const), partial: fc.boolean() },
  { requiredKeys: [] },
)

const hexadecimal = (text: string) => Buffer.from(text).toString('hex')
const plain = (text: string) => Buffer.from(text, 'hex').toString()

describe('a target that lies', patience, () => {
  const read = async (alpha: Answers, choice: Choice = {}) =>
    targets.readBackFrom([await saying('alpha', alpha), await saying('beta', honest.get('beta')!)], choice)

  test('is believed if it says what is so', async () => {
    expect(await read(honest.get('alpha')!)).toEqual({ text: deployed, told: '' })
  })

  const spoiled = {
    'its records': (text: string): Answers => ({ ...honest.get('alpha')!, observe: text.split('\n') }),
    'its profile manifest': (text: string): Answers => ({
      ...honest.get('alpha')!,
      read_profiles: honest.get('alpha')!.read_profiles.map((line) => line.replace(/[^ ]+$/, hexadecimal(text) || '=')),
    }),
    'the frame of its profile': (text: string): Answers => ({
      ...honest.get('alpha')!,
      read_profiles: text.split('\n'),
    }),
  }
  const original: Readonly<Record<keyof typeof spoiled, () => string>> = {
    'its records': () => honest.get('alpha')!.observe.join('\n'),
    'its profile manifest': () => plain(honest.get('alpha')!.read_profiles[0]?.split(' ').at(-1) ?? ''),
    'the frame of its profile': () => honest.get('alpha')!.read_profiles.join('\n'),
  }

  test.each(Object.keys(spoiled) as (keyof typeof spoiled)[])(
    'about %s changes nothing of the others, or is refused by name',
    async (what) => {
      const text = fc.oneof({ weight: 9, arbitrary: mutationsOf([original[what]()]) }, awkwardText)
      await fc.assert(
        fc.asyncProperty(text, choices, async (said, choice) => {
          lies += 1
          const one = await read(spoiled[what](said), choice)
          expect(isHonest(one)).toBe(true)
        }),
        runs(100),
      )
    },
  )

  const manifest = () => {
    const [line = ''] = honest.get('alpha')!.read_profiles
    const text = plain(line.split(' ').at(-1) ?? '')
    const format = ProfileManifest.on('alpha' as TargetName)
    return JSON.parse(encodeDocument(format, parseDocument(format, text, { file: 'profile' }), 'json')) as Written
  }
  const another = targets.manifest.profiles.get('beta' as TargetName)
  const elsewhere = { service: 'key-page', container: 'process', target: 'beta' }
  const gone = { service: 'key-gone', container: 'process', target: 'beta' }

  test.each<[string, (written: Written) => object, string, string]>([
    [
      'about services of another target',
      (written) => ({ ...written, serviceMappings: [...written.serviceMappings, elsewhere] }),
      'bad-profile',
      "profilemanifest.xml belongs to 'beta'",
    ],
    [
      'about state of another target',
      (written) => ({ ...written, snapshotMappings: [{ ...elsewhere, component: 'page' }] }),
      'bad-profile',
      "profilemanifest.xml belongs to 'beta'",
    ],
    [
      'about a service that another target has, too',
      (written) => withService(written, 'key-both', { pkg: another }),
      'contradictory-deployment',
      "'beta' and 'alpha' have different pkg for 'both' (key-both)",
    ],
    [
      'about what a service needs',
      (written) => withService(written, 'key-page', { connectsTo: [gone] }),
      'incomplete-deployment',
      "'page' needs key-gone in container 'process' on 'beta'",
    ],
    [
      'about where its packages are',
      (written) => withService(written, 'key-page', { pkg: `/elsewhere/${'0'.repeat(32)}-page` }),
      'invalid-document',
      'is not in the store of this manifest',
    ],
    [
      'with a component that is no file name',
      (written) => ({
        ...written,
        snapshotMappings: [{ ...written.snapshotMappings[0], component: 'a\u001b[2J/../b' }],
      }),
      'bad-profile',
      'expected text without character U+001B',
    ],
  ])('%s is refused by name, whatever is preferred', async (_, change, code, said) => {
    const text = JSON.stringify(change(manifest()))
    const one = await read(spoiled['its profile manifest'](text), { prefer: 'profile' })
    expect([one.error?.code, textOf(one)]).toEqual([code, expect.stringContaining(said)])
  })
})

/** Whether what beta says came out as it was, or the error says what is wrong. */
function isHonest(one: ReadBack): boolean {
  if (one.text === undefined) return one.error?.exitStatus !== 70 && textOf(one) !== ''
  const [before, after] = [partOf(deployed, 'beta'), partOf(one.text, 'beta')]
  const isLeftOut = one.told.includes('of which nothing is known: left out')
  return isDeepStrictEqual(isLeftOut ? { ...after, services: before.services } : after, before)
}

interface Written {
  readonly services: Readonly<Record<string, object>>
  readonly serviceMappings: readonly object[]
  readonly snapshotMappings: readonly object[]
}

function withService(written: Written, key: string, change: object): object {
  return { ...written, services: { ...written.services, [key]: { ...written.services[key], ...change } } }
}
