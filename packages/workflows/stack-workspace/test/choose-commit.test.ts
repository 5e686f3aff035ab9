import { parseSpec } from '@davit/stack'
import { expect, test } from 'vitest'
import { fittingTags } from '../src/choose-commit.ts'
import { whyRefused } from '../src/refused-origin.ts'

function namesOf(tags: readonly string[], directory: string, spec: string): readonly string[] {
  const all = tags.map((name, index) => ({ name, commit: String(index) }))
  const fitting = fittingTags(all, directory, [parseSpec(spec)!])
  for (const { name, commit } of fitting) expect(commit).toBe(String(tags.indexOf(name)))
  return fitting.map(({ name }) => name)
}

test.each<[string, readonly string[], string, string, readonly string[]]>([
  ['the highest first', ['1.9.0', 'v1.10.0', '1.10.0-rc.1'], '', '>=1.0.0', ['v1.10.0', '1.10.0-rc.1', '1.9.0']],
  ['only what fits', ['0.9.0', '1.0.0', '2.0.0'], '', '^1.0.0', ['1.0.0']],
  [
    'its own before others of the same version, and these by name',
    ['v1.0.0', '1.0.0', 'db/v1.0.0'],
    'db',
    'latest',
    ['db/v1.0.0', '1.0.0', 'v1.0.0'],
  ],
  ['by name, whatever their order', ['1.0.0', 'v1.0.0'], 'db', 'latest', ['1.0.0', 'v1.0.0']],
  ['none of another directory', ['web/v1.0.0', 'db/1.0.0', 'db/v', 'db/v1'], 'db', 'latest', []],
  ['none of a directory without name', ['/v1.0.0'], '', 'latest', []],
  ['only a v at the beginning is dropped', ['1.0.0-v2', 'vv1.0.0', '1.0.0v'], '', 'latest', ['1.0.0-v2']],
  ['of a directory in a directory', ['a/b/v1.0.0', 'b/v1.1.0', 'a/v1.2.0'], 'a/b', 'latest', ['a/b/v1.0.0']],
])('fittingTags() returns %s', (_, tags, directory, spec, expected) => {
  expect(namesOf(tags, directory, spec)).toEqual(expected)
})

const MACHINE = 'is not the name of a machine'

test.each([
  ['hub.mu.com/', 'https://', 'https://hub.mu.com/a/b', undefined],
  ['x.y:8080/', 'git+ssh://', 'git@x.y:a/b', undefined],
  ['localhost/', 'https://', 'u', MACHINE],
  ['.git/', 'https://', 'u', MACHINE],
  ['a..b/', 'https://', 'u', MACHINE],
  ['-a.b/', 'https://', 'u', MACHINE],
  ['x.y:123456/', 'https://', 'u', MACHINE],
  ['x.y/z/', 'https://', 'u', MACHINE],
  ['x.y', 'https://', 'u', MACHINE],
  ['x.y/', 'ext::sh -c x://', 'u', 'is not a protocol'],
  ['x.y/', '1://', 'u', 'is not a protocol'],
  ['x.y/', 'https://x', 'u', 'is not a protocol'],
  ['x.y/', 'https://', '-u', 'cannot begin with a hyphen'],
  ['x.y/', 'https://', 'ext::sh -c x', 'git would run a program'],
  ['x.y/', 'https://', 'fd::17', 'git would run a program'],
  ['x.y/', 'https://', 'ssh://[::1]/a', undefined],
  ['x.y/', 'https://', 'https://x/\u0007', 'control characters'],
  ['x.y/', 'https://', 'https://x/\ny', 'control characters'],
])('whyRefused() of %s%s from %j', (base, protocol, url, why) => {
  const reason = whyRefused({ protocol, base, name: 'a', spec: 'latest' }, { url, directory: '', isNamed: true })
  expect(reason ?? 'nothing').toContain(why ?? 'nothing')
})

test.each([
  ['https://', undefined],
  ['http://', undefined],
  ['ssh://', undefined],
  ['git://', undefined],
  ['file://', undefined],
  ['git+ssh://', "git would run a program to fetch with 'git+ssh://'"],
])('whyRefused() of %s, where the workspace names no repository', (protocol, why) => {
  const reference = { protocol, base: 'x.y/', name: 'a', spec: 'latest' }
  expect(whyRefused(reference, { url: 'u', directory: '', isNamed: false })).toBe(why)
})
