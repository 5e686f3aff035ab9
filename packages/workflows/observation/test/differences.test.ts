import { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { digestOf } from '@davit/secrets'
import { renderReason } from '@davit/transition'
import { describe, expect, test } from 'vitest'

import { observedIn, observeDeployment } from '../src/observation.ts'
import { manifest, type Placement, PROFILE, recordsOf, reports, tableMachine, type Told, target } from './scene.ts'

const PLACED = { web: ['t1'], db: ['t1'] }
const placed = (more: Partial<Placement> = {}) => manifest({ placed: PLACED, ...more })

interface Comparing extends Pick<Told, 'modules' | 'secrets'> {
  readonly previous?: Manifest
  /** Digest of the value of each secret in the record. */
  readonly digest?: string
}

/** How services that the first manifest has deployed differ from the next one, and whether an earlier run has said so. */
async function changes(from: Manifest, next: Manifest, { previous, digest, ...told }: Comparing = {}) {
  const { report, lines } = reports()
  const records = recordsOf(from, 't1').map((record) => {
    const secrets = [...(record.definition.secrets ?? [])].map(([name, { text }]) => [name, { text, digest }] as const)
    return secrets.length === 0
      ? record
      : { ...record, definition: { ...record.definition, secrets: new Map(secrets) } }
  })
  const terms = { profile: PROFILE, previous, running: 'tell', report, signal: new AbortController().signal } as const
  const { observed } = await observeDeployment(
    [target('t1', tableMachine({ records: records as never, ...told }))],
    next,
    terms,
  )
  const found = observed.flatMap(({ service, changes: some = [], areChangesTold }) =>
    some.map((reason) => `${service.name}: ${renderReason(reason, 'to')}${areChangesTold === true ? ' (told)' : ''}`),
  )
  return { found, lines }
}

describe('a record that differs from the next manifest under the same key', () => {
  test('is not there if nothing has changed', async () => {
    expect(await changes(placed(), placed())).toEqual({ found: [], lines: [] })
  })

  test.each<readonly [string, Partial<Placement>, string]>([
    [
      'the names of its container properties',
      { properties: { port: 2, more: 'x' } },
      'web: container properties changed: more, port',
    ],
    ['the names of services to which it connects', { connects: { web: ['db'] } }, 'web: connectsTo changed: db'],
  ])('has %s as changes', async (_, change, expected) => {
    expect(
      (await changes(placed({ properties: { port: 1 } }), placed({ properties: { port: 1 }, ...change }))).found,
    ).toContain(expected)
  })

  test('has a module that was replaced, and not one that only lies elsewhere', async () => {
    const next = placed({ version: '2' })
    expect((await changes(placed(), next)).found).toEqual(['web: module changed', 'db: module changed'])
    const same = { 'profile-1': '/real/module', 'profile-2': '/real/module' }
    const record = `/store/${'0'.repeat(32)}-profile-1/modules/plain`
    expect((await changes(placed(), next, { modules: { 'profile-2': record } })).found).toEqual([])
    expect((await changes(placed(), next, { modules: same })).found).toEqual([
      'web: module changed',
      'db: module changed',
    ])
  })

  test('has no change of a module that is not on the machine yet', async () => {
    expect((await changes(placed(), placed({ version: '2' }), { modules: { 'profile-2': undefined } })).found).toEqual(
      [],
    )
  })

  test('has changes that were reported before, if the last generation has them', async () => {
    const [before, next] = [placed({ properties: { port: 1 } }), placed({ properties: { port: 2 } })]
    const told = async (previous?: Manifest) =>
      (await changes(before, next, previous === undefined ? {} : { previous })).found.map((line) =>
        line.endsWith(' (told)'),
      )
    expect([await told(), await told(before), await told(next)]).toEqual([
      [false, false],
      [false, false],
      [true, true],
    ])
  })
})

describe('a secret', () => {
  const withSecret = (name: string) => placed({ properties: { password: { secret: { env: name } } } })
  const secrets = { resolve: async () => 'now' }
  const [before] = [withSecret('PASSWORD')]
  const changed = ['web: container properties changed: password', 'db: container properties changed: password']

  test('with the value that a service was activated with has not changed, whatever refers to it', async () => {
    const digest = await digestOf('now')
    expect(await changes(before, before, { digest, secrets })).toEqual({ found: [], lines: [] })
    expect(await changes(before, withSecret('OTHER'), { digest, secrets })).toEqual({ found: [], lines: [] })
  })

  test('with another value is a change by name, which no generation has', async () => {
    const digest = await digestOf('then')
    expect((await changes(before, before, { digest, secrets, previous: before })).found).toEqual(changed)
    const next = withSecret('OTHER')
    expect((await changes(before, next, { digest, secrets, previous: next })).found).toEqual(
      changed.map((line) => `${line} (told)`),
    )
  })

  test('that is a plain property in one of both is a change', async () => {
    const digest = await digestOf('now')
    const plain = placed({ properties: { password: 'now' } })
    expect((await changes(before, plain, { digest, secrets })).found).toEqual(changed)
    expect((await changes(plain, before, { secrets })).found).toEqual(changed)
  })

  test('that cannot be resolved counts as unchanged, with a warning', async () => {
    const resolve = async () => Promise.reject(new DavitError('secret-unresolved', 'the vault is closed'))
    const { found, lines } = await changes(before, before, { digest: await digestOf('then'), secrets: { resolve } })
    expect([found, lines.length]).toEqual([[], 2])
    expect(lines[0]).toMatch(
      /^warning: \[t1\] cannot tell whether a secret has changed: property 'password'.*: the vault is closed$/,
    )
  })
})

describe('observedIn()', () => {
  const observed = (from: Manifest, next: Manifest) =>
    observedIn(from, next).map(({ service, mapping, state, running, changes: some = [] }) =>
      [service.name, mapping.target, state, running, ...some.map((reason) => renderReason(reason, 'to'))].join(' '),
    )

  test('takes a manifest for what is active, on the targets that the next one has', () => {
    const from = manifest({ placed: { web: ['t1', 't2'] } })
    expect(observed(from, manifest({ placed: {}, targets: ['t2'] }))).toEqual(['web t2 active false'])
  })

  test('finds how settings differ, but not modules, whose paths say nothing', () => {
    const before = placed({ properties: { port: 1, password: { secret: { env: 'ONE' } } } })
    const next = placed({
      version: '2',
      properties: { port: 1, password: { secret: { env: 'TWO' } } },
      connects: { db: ['web'] },
    })
    expect(observed(before, next)).toEqual([
      'db t1 active false container properties changed: password connectsTo changed: web',
      'web t1 active false container properties changed: password',
    ])
    expect(
      observed(before, placed({ version: '2', properties: { port: 1, password: { secret: { env: 'ONE' } } } })),
    ).toEqual(['db t1 active false', 'web t1 active false'])
  })
})
