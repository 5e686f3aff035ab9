import { rename } from 'node:fs/promises'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, type Models } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'
import { hostOf, type TargetName, targetsOn } from '../harness/three-targets.ts'

/** Keeps its state in a file. */
const KEEPER = `state=/srv/$DAVIT_SERVICE
case $1 in
  activate) [ -e "$state" ] || : >"$state" ;;
  snapshot) cp "$state" "$DAVIT_SNAPSHOT/rows" ;;
  restore) cp "$DAVIT_SNAPSHOT/rows" "$state" ;;
  collect-garbage) rm -f "$state" ;;
esac || exit`

interface Listed {
  readonly service: string
  readonly target: string
  readonly where: string
  readonly name: string
}

/** The tests of a describe continue each other. */
describe.skipIf(!HOSTS_POSSIBLE)('state on real hosts', () => {
  let set: TestHosts
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'ss' })
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const host = (target: TargetName) => hostOf(set, target)
  const keeper = () => wrapper({ body: KEEPER }, { deployState: true })
  const system = (places: Readonly<Record<string, TargetName>>, targets?: readonly TargetName[]): Models => ({
    services: Object.fromEntries(Object.keys(places).map((name) => [name, keeper()])),
    infrastructure: targetsOn(set, targets),
    distribution: Object.fromEntries(Object.entries(places).map(([name, target]) => [name, [target]])),
  })
  const run = async (...argv: readonly string[]) => succeeded(await user.run(argv))
  const write = (target: TargetName, service: string, text: string) =>
    host(target).sh(`printf %s "$2" >/srv/"$1"`, service, text)
  const read = (target: TargetName, service: string) =>
    host(target).sh('cat /srv/"$1" 2>/dev/null || echo none', service)
  const states = async (...which: readonly (readonly [TargetName, string])[]) =>
    Promise.all(which.map(([target, service]) => read(target, service)))
  const listed = async (...args: readonly string[]) =>
    JSON.parse((await run('davit-snapshots', '--format', 'json', ...args)).stdout) as readonly Listed[]
  const kept = async (...args: readonly string[]) =>
    (await listed(...args)).map(({ service, target }) => `${service} ${target}`)
  const namesOf = async (...args: readonly string[]) => (await listed(...args)).map(({ name }) => name)
  const oldManifest = async (back: number) => {
    const number = (await user.generations()).at(-1 - back) ?? 0
    return user.write('old.json', await generationText(user, number))
  }

  test('is fresh at first, and swapped when two services swap their places', async () => {
    succeeded(await deploy(user, system({ a: 'one', b: 'two', c: 'three' })))
    expect(await states(['one', 'a'], ['two', 'b'], ['three', 'c'])).toEqual(['', '', ''])
    await write('one', 'a', 'A')
    await write('two', 'b', 'B')
    await write('three', 'c', 'C')
    succeeded(await deploy(user, system({ a: 'two', b: 'one', c: 'three' })))
    expect(await states(['two', 'a'], ['one', 'b'], ['three', 'c'])).toEqual(['A', 'B', 'C'])
  })

  test('is deleted only where it has moved away', async () => {
    expect((await run('davit-delete-state', '-S', 'a')).stderr).toMatch(/the state of 'a' is in use/)
    expect(await states(['two', 'a'], ['one', 'b'], ['one', 'a'])).toEqual(['A', 'B', 'A'])
    await run('davit-delete-state', '-o', await oldManifest(1))
    expect(await states(['one', 'a'], ['two', 'b'])).toEqual(['none\n', 'none\n'])
    expect(await states(['two', 'a'], ['one', 'b'], ['three', 'c'])).toEqual(['A', 'B', 'C'])
  })

  test('is backed up once, and only what is selected', async () => {
    await run('davit-clean-snapshots', '--keep', '0')
    expect(await listed()).toEqual([])
    await run('davit-snapshot', '-S', 'c', '--depth-first')
    expect(await kept('--where', 'coordinator')).toEqual(['c three'])
    await run('davit-snapshot', '--deployed')
    await run('davit-snapshot', '--deployed')
    expect((await kept('--where', 'coordinator')).toSorted()).toEqual(['a two', 'b one', 'c three'])
    expect((await kept('--where', 'targets')).toSorted()).toEqual(['a two', 'b one', 'c three'])
  })

  test('is restored of all or of some services, in either order', async () => {
    for (const options of [
      ['-S', 'a', '-S', 'c'],
      ['--all', '--depth-first'],
    ]) {
      // oxlint-disable no-await-in-loop
      for (const [target, service] of [
        ['two', 'a'],
        ['one', 'b'],
        ['three', 'c'],
      ] as const) {
        await write(target, service, 'lost')
      }
      await run('davit-restore', ...options)
      const isAll = options.includes('--all')
      expect(await states(['two', 'a'], ['one', 'b'], ['three', 'c'])).toEqual(['A', isAll ? 'B' : 'lost', 'C'])
    }
  })

  test('has as many snapshots as there were states, of which an older one can become the latest', async () => {
    await run('davit-clean-snapshots', '--keep', '0')
    for (const text of ['1', '2', '3']) {
      await write('two', 'a', text)
      await run('davit-snapshot', '-S', 'a')
      // oxlint-enable no-await-in-loop
    }
    const names = await namesOf('-S', 'a', '--where', 'targets')
    expect([new Set(names).size, await namesOf('-S', 'a', '--where', 'coordinator')]).toEqual([3, names])
    await run('davit-restore', '-S', 'a', '--snapshot', names[0]!)
    expect(await read('two', 'a')).toBe('1')
    expect((await namesOf('-S', 'a', '--where', 'targets')).at(-1)).toBe(names[0])
    await run('davit-clean-snapshots', '-C', 'a', '--keep', '1', '--where', 'targets')
    // What the restoration replaced is kept as well.
    expect(await namesOf('-S', 'a', '--where', 'targets')).toEqual([names[2], names[0]])
    expect(await namesOf('-S', 'a', '--where', 'coordinator')).toEqual(names)
  })

  test('takes all of its snapshots along, or the latest', async () => {
    await run('davit-restore', '-S', 'a', '--transfer-only', '--all')
    const all = await namesOf('-S', 'a', '--where', 'coordinator')
    const sent = await namesOf('-S', 'a', '--where', 'targets')
    expect([new Set(sent), sent.at(-1)]).toEqual([new Set(all), all.at(-1)])
    await run('davit-clean-snapshots', '--keep', '0', '--where', 'coordinator')
    await run('davit-snapshot', '-S', 'a', '--transfer-only')
    expect(await namesOf('-S', 'a', '--where', 'coordinator')).toEqual([all.at(-1)])
    await run('davit-snapshot', '-S', 'a', '--transfer-only', '--all')
    const fetched = await namesOf('-S', 'a', '--where', 'coordinator')
    expect([new Set(fetched), fetched.at(-1)]).toEqual([new Set(all), all.at(-1)])
  })

  test('moves for a coordinator that has lost what it knew', async () => {
    await rename(`${user.directory}/state`, `${user.directory}/lost`)
    await write('two', 'a', 'known')
    succeeded(await deploy(user, system({ a: 'one', b: 'one', c: 'three' })))
    expect(await states(['one', 'a'], ['one', 'b'], ['three', 'c'])).toEqual(['known', 'B', 'C'])
    expect(succeeded(await deploy(user, system({ a: 'one', b: 'one', c: 'three' }))).stderr).toContain('nothing to do')
  })

  test('on a target that is gone is skipped, and the rest is deployed', async () => {
    const { stderr } = succeeded(await deploy(user, system({ a: 'one', b: 'two', c: 'two' }, ['one', 'two'])))
    expect(stderr).toMatch(/Skip state of 'c' on 'three'/)
    expect(await states(['one', 'a'], ['two', 'b'], ['two', 'c'])).toEqual(['known', 'B', ''])
  })

  test('can be deleted once its service is gone, and comes back from its snapshot', async () => {
    succeeded(await deploy(user, system({ b: 'two' }, ['one', 'two'])))
    await run('davit-delete-state', '-o', await oldManifest(1))
    expect(await read('one', 'a')).toBe('none\n')
    succeeded(await deploy(user, system({ a: 'two', b: 'two' }, ['one', 'two']), { options: ['--restore'] }))
    expect(await read('two', 'a')).toBe('known')
  })
})
