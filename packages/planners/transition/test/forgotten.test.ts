import type { TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { forgottenOf, observedOf, planTransition, KINDS } from '../src/transition.ts'
import { manifestOf, renderTransition } from './testing.ts'

const two = manifestOf({ services: { api: { on: ['web/process'] }, page: { on: ['web/process', 'db/process'] } } })
const onlyApi = {
  ...two,
  serviceMappings: two.serviceMappings.filter(({ service }) => two.services.get(service)?.name === 'api'),
}
const newer = manifestOf({
  services: { api: { on: ['web/process'], version: 2 }, page: { on: ['web/process'], version: 2 } },
})
const everything = observedOf(two, two.infrastructure)
const withoutPage = everything.filter(({ service }) => service.name !== 'page')
const page = (target: string) =>
  `no record of service 'page' is left on target '${target}': if it still runs, stop it by hand`

describe('forgottenOf()', () => {
  test.each([
    ['what was removed together with its record', onlyApi, withoutPage, [], [page('db'), page('web')]],
    ['nothing that has a record', onlyApi, everything, [], []],
    ['nothing of which nothing is known', onlyApi, withoutPage, ['db'], [page('web')]],
    ['nothing that comes in another version', { ...newer, infrastructure: two.infrastructure }, [], [], [page('db')]],
    ['nothing on targets that are gone', { ...onlyApi, infrastructure: new Map() }, withoutPage, [], []],
    [
      'nothing that is observed on the machine that had the name before',
      onlyApi,
      everything.map((one) => ({ ...one, recordedAs: { target: one.mapping.target, machine: 'old' } })),
      [],
      [],
    ],
  ])('names %s', (_, next, observed, unreachable, messages) => {
    const given = { previous: two, next, observed, unreachable: new Set(unreachable as TargetName[]) }
    expect(
      forgottenOf(given)
        .map(({ message }) => message)
        .toSorted(),
    ).toEqual(messages)
  })
})

test('planTransition() orders outdated mappings by name, then by target', () => {
  const names = ['b', 'e', 'a', 'd', 'c']
  const services = Object.fromEntries(names.map((name) => [name, { on: ['t2/p', 't1/p'] }]))
  const manifest = manifestOf({ services })
  const observed = observedOf(manifest, manifest.infrastructure).map((one) => ({
    ...one,
    changes: [{ kind: 'changed-module' } as const],
  }))
  const lines = renderTransition(planTransition(manifest, observed, { upgrade: 'upgrade' }), KINDS).split('\n')
  const kept = lines.flatMap((line) => /^keep (\w) in p on (\w+)/.exec(line)?.slice(1).join(' ') ?? [])
  expect(kept).toEqual(['a', 'b', 'c', 'd', 'e'].flatMap((name) => [`${name} t1`, `${name} t2`]))
})
