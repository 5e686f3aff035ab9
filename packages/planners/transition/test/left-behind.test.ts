import type { Manifest, NamedMapping, TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { leftBehindMessages, leftBehindOf, observedOf, type ObservedMapping, vanishedOf } from '../src/transition.ts'
import { manifestOf } from './testing.ts'

const system = manifestOf({ services: { api: { on: ['n1/p', 'n2/p'] }, page: { on: ['n1/p'] } } })
const everything = observedOf(system, system.infrastructure)
const onN2 = everything.filter(({ mapping }) => mapping.target === 'n2')
/** Removes a target and its services from a manifest. */
const without = (manifest: Manifest, target: string): Manifest => ({
  ...manifest,
  infrastructure: new Map([...manifest.infrastructure].filter(([name]) => name !== target)),
  serviceMappings: manifest.serviceMappings.filter((mapping) => mapping.target !== target),
})
/** Removes the services of a target from a manifest. */
const emptied = (manifest: Manifest, target: string): Manifest => ({
  ...manifest,
  serviceMappings: manifest.serviceMappings.filter((mapping) => mapping.target !== target),
})
const shrunk = without(system, 'n1')
const known: readonly NamedMapping[] = everything
  .filter(({ mapping }) => mapping.target === 'n1')
  .map(({ mapping: { target, container, service: key }, service: { name } }) => ({
    target,
    container,
    service: key,
    name,
  }))
const renamed = (observed: readonly ObservedMapping[]) =>
  observed.map((one) => ({ ...one, recordedAs: { target: one.mapping.target, machine: 'old' } }))

describe('leftBehindOf()', () => {
  const both = ["'api', 'page' on n1"]
  test.each<readonly [string, Partial<Parameters<typeof leftBehindOf>[0]>, readonly string[]]>([
    ['what the last generation has on a target that is gone', { previous: system }, both],
    ['what an earlier run has left there', { previous: shrunk, known }, both],
    ['the same as one', { previous: system, known }, both],
    ['the same without any generation', { known }, both],
    ['nothing that is observed under the old name', { previous: system, observed: everything, known }, []],
    ['nothing of a machine that has another name now', { known, observed: renamed(everything) }, []],
    ['nothing on a target that is back', { previous: shrunk, known, next: emptied(system, 'n1') }, []],
    [
      'what is on a target that is back, and cannot be reached',
      { known, next: emptied(system, 'n1'), unreachable: new Set(['n1' as TargetName]) },
      both,
    ],
    ['nothing where nothing is gone', { previous: system, next: system }, []],
  ])('finds %s', (_, given, expected) => {
    const terms = { next: shrunk, previous: undefined, known: [], observed: onN2, unreachable: new Set<TargetName>() }
    const left = leftBehindOf({ ...terms, ...given })
    const targets = [...new Set(left.map(({ target }) => target))]
    const namesOn = (target: string) => left.filter((one) => one.target === target).map(({ name }) => `'${name}'`)
    expect(targets.map((target) => `${namesOn(target).join(', ')} on ${target}`)).toEqual(expected)
  })
})

test('vanishedOf() reports services without record on a target that is back, unless next has them again', () => {
  const terms = { previous: undefined, known, unreachable: new Set<TargetName>() }
  const told = (next: Manifest, observed: readonly ObservedMapping[]) =>
    vanishedOf({ ...terms, next, observed }).map(({ message }) => message)
  expect(told(shrunk, onN2)).toEqual([])
  expect(told(emptied(system, 'n1'), onN2)).toEqual([
    expect.stringMatching(/^no record of service 'api' is left on target 'n1'/),
    expect.stringContaining("'page'"),
  ])
  expect(told(emptied(system, 'n1'), everything)).toEqual([])
  expect(told(system, onN2)).toEqual([])
})

test('leftBehindMessages() has a line for each target, with what to do', () => {
  const hint = "put 'n1' back without services, deploy, then remove it, or run 'davit-env --forget n1'"
  const told = (left: readonly NamedMapping[], next: Manifest) =>
    leftBehindMessages(left, next).map(({ message }) => message)
  const gone = `running on 'n1', which is no longer in the infrastructure: ${hint}`
  expect(told(known, shrunk)).toEqual([`'api' and 'page' keep ${gone}`])
  expect(told(known.slice(0, 1), shrunk)).toEqual([`'api' keeps ${gone}`])
  expect(told(known.slice(0, 1), system)).toEqual(["'api' keeps running on 'n1', which cannot be reached"])
  const many = Array.from({ length: 60 }, (_, index) => ({ ...known[0]!, name: `s${index}` as NamedMapping['name'] }))
  expect(told(many, shrunk)).toEqual([`'s0', 's1', 's2', 's3', 's4' and 55 others keep ${gone}`])
  expect(told(many.slice(0, 6), shrunk)).toEqual([`'s0', 's1', 's2', 's3', 's4' and 's5' keep ${gone}`])
  expect(leftBehindMessages(known, shrunk)).toMatchObject([
    { code: 'left-behind', fields: { services: ['api', 'page'], target: 'n1' } },
  ])
})
