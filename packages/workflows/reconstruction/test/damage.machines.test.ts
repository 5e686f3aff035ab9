import { writeFileSync } from 'node:fs'

import { encodeDocument, Manifest } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { ALTERATIONS, type Damage, REPLACEMENTS } from './damage.ts'
import { type Choice, isPrintable, type Name, partOf, type ReadBack, textOf, TwoTargets } from './two-targets.ts'

const targets = new TwoTargets()
const deployed = encodeDocument(Manifest, targets.manifest, 'json')

const recordOf = (name: Name) =>
  targets.state(name, 'active', `process:${name === 'alpha' ? 'key-database' : 'key-both'}`)

const FILES: Readonly<Record<string, (name: Name) => string>> = {
  'the profile manifest': (name) => targets.profile(name, 'profilemanifest.xml'),
  'the record of a service': (name) => `${recordOf(name)}/record`,
  'the state in a record': (name) => `${recordOf(name)}/state`,
}

const PLACES: Readonly<Record<string, (name: Name) => string>> = {
  ...FILES,
  'the link to the current profile': (name) => targets.state(name, 'profiles', 'current'),
  'the directory of a record': recordOf,
}

const MORE_PLACES: Readonly<Record<string, (name: Name) => string>> = {
  'the profile': (name) => targets.profile(name),
  'the link to the latest profile': (name) => targets.state(name, 'profiles', '1-link'),
  'the directory of profiles': (name) => targets.state(name, 'profiles'),
  'the directory of all records': (name) => targets.state(name, 'active'),
}

const IS_EXHAUSTIVE = Boolean(process.env['DAVIT_TEST_ALL'])
const CASES = [...casesOf(PLACES, REPLACEMENTS), ...casesOf(FILES, ALTERATIONS)]

const CHOICES: readonly Choice[] = [
  { partial: true },
  { prefer: 'profile' },
  { prefer: 'records' },
  { prefer: 'profile', partial: true },
]
/** What gives the rest, whatever is damaged on a target. */
const MOST: Choice = { prefer: 'records', partial: true }

test('an intact deployment is read back byte for byte, without a word', async () => {
  expect(await targets.readBack()).toEqual({ text: deployed, told: '' })
})

describe('what is damaged on one target', () => {
  /** What damages each outcome follows from. */
  const outcomes = new Map<string, string[]>()

  test.each(CASES)('%s %s: it is named, and the rest comes out', async (what, damage, { place, happens }) => {
    happens(place('alpha'), place('beta'))
    const outcome = outcomeOf(await tried())
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), `${what} ${damage}`])
  })

  test.runIf(IS_EXHAUSTIVE).each(casesOf(MORE_PLACES, REPLACEMENTS))(
    '%s %s: it is named, and the rest comes out',
    async (_what, _damage, { place, happens }) => {
      happens(place('alpha'), place('beta'))
      await tried()
    },
  )

  test('is named as it always was', async () => {
    const groups = [...outcomes].map(([outcome, damages]) => `${damages.join('\n')}\n${outcome}\n`)
    await expect(groups.join('\n')).toMatchFileSnapshot('damage.txt')
  })
})

test('a damaged record of a service that the profile does not have is not forgotten', async () => {
  ALTERATIONS['is that of another target']?.(
    targets.profile('alpha', 'profilemanifest.xml'),
    targets.profile('beta', 'profilemanifest.xml'),
  )
  writeFileSync(`${recordOf('alpha')}/record`, '')
  for (const choice of [{}, { prefer: 'records' }] satisfies Choice[]) {
    const { error } = await targets.readBack(choice)
    expect([error?.code, error?.diagnostics.map(({ message }) => message)]).toEqual([
      'incomplete-deployment',
      ["the record of key-database in container 'process' on 'alpha' cannot be read: it is empty"],
    ])
  }
  const leftOut = "left out: the record of key-database in 'process' cannot be read (it is empty)"
  for (const choice of [
    { prefer: 'records', partial: true },
    { prefer: 'profile', partial: true },
  ] satisfies Choice[]) {
    const { text, told } = await targets.readBack(choice)
    expect(text).not.toContain('database')
    expect(told).toContain(leftOut)
  }
})

test('all targets that are damaged are named, and without one of them nothing comes out', async () => {
  for (const name of ['alpha', 'beta'] as const) writeFileSync(targets.profile(name, 'profilemanifest.xml'), '')
  for (const choice of [{}, { partial: true }] satisfies Choice[]) {
    const { error } = await targets.readBack(choice)
    expect(error?.message).toBe("cannot read 'alpha', 'beta'")
    expect(error?.diagnostics.map(({ message }) => /^target '(\w+)': .* is empty$/.exec(message)?.[1])).toEqual([
      'alpha',
      'beta',
    ])
  }
  const { text, told } = await targets.readBack({ prefer: 'records' })
  expect(partOf(text ?? '', 'beta')).toEqual(partOf(deployed, 'beta'))
  expect(told).not.toContain('nothing was deployed')
})

test('a target whose profile is damaged and that has no records is not said to be empty', async () => {
  const [link, records] = [targets.state('beta', 'profiles', '1-link'), targets.state('beta', 'active')]
  for (const path of [link, records]) REPLACEMENTS['is gone']?.(path, '')
  const { told } = await targets.readBack(MOST)
  expect(told).toContain("only its records count: the current profile of 'beta' leads to no path in a store")
  expect(told).not.toContain('nothing was deployed')
})

/** Reads back without a choice, which must be honest, and so must be all that can be chosen. */
async function tried(): Promise<ReadBack> {
  const plain = await targets.readBack()
  const isSame = plain.text === deployed && !IS_EXHAUSTIVE
  const most = isSame ? plain : await targets.readBack(MOST)
  expect(most.error).toBeUndefined()
  for (const one of [plain, most, ...(IS_EXHAUSTIVE ? await inTurn(CHOICES) : [])]) expectHonest(one)
  return plain
}

/** Either the same as before, or what is different is named; never anything that disturbs a terminal. */
function expectHonest(one: ReadBack): void {
  const { text, error, told } = one
  expect(isPrintable(textOf(one))).toBe(true)
  expect(textOf(one).length).toBeLessThan(3_000)
  if (error !== undefined) {
    expect(error.exitStatus).not.toBe(70)
    expect(textOf(one)).toMatch(/alpha|key-database/)
  } else if (text !== deployed) {
    expect(told).not.toBe('')
    const [before, after] = [partOf(deployed, 'beta'), partOf(text ?? '', 'beta')]
    expect(
      told.includes('of which nothing is known: left out') ? { ...after, services: before.services } : after,
    ).toEqual(before)
  }
}

function outcomeOf(one: ReadBack): string {
  const kind = one.text === deployed ? 'the same' : one.text === undefined ? 'refused' : 'something else'
  const lines = textOf(one)
    .replaceAll(targets.directory, '')
    .split('\n')
    .filter((line) => line !== '')
  return [`  ${kind}:`, ...lines.map((line) => `    ${line}`)].join('\n')
}

async function inTurn(choices: readonly Choice[]): Promise<readonly ReadBack[]> {
  const [first, ...rest] = choices
  return first === undefined ? [] : [await targets.readBack(first), ...(await inTurn(rest))]
}

function casesOf(places: Readonly<Record<string, (name: Name) => string>>, damages: Readonly<Record<string, Damage>>) {
  return Object.entries(places).flatMap(([what, place]) =>
    Object.entries(damages).map(([damage, happens]) => [what, damage, { place, happens }] as const),
  )
}
