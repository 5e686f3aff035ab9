import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, modelFile, type Models } from '../harness/models.ts'
import { recordOf } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'
import { KEEP_DIRECTORY } from '../harness/three-targets.ts'

/** The tests continue each other. */
describe.skipIf(!HOSTS_POSSIBLE)('a deployment with state whose coordinator is lost', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'sr' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  type Place = 1 | 2
  const host = (place: Place) => hosts[place - 1]!
  const models = (places: Readonly<Record<string, Place>>): Models => ({
    services: Object.fromEntries(
      Object.keys(places).map((name) => [name, wrapper({ body: KEEP_DIRECTORY }, { deployState: true })]),
    ),
    infrastructure: infrastructureOf(hosts),
    distribution: Object.fromEntries(Object.entries(places).map(([name, place]) => [name, [`sr${place}`]])),
  })
  const run = async (...argv: readonly string[]) => succeeded(await user.run(argv))
  const write = (place: Place, service: string, text: string) =>
    host(place).sh('printf %s "$2" >/var/lib/"$1"/rows', service, text)
  const read = (place: Place, service: string) =>
    host(place).sh('cat /var/lib/"$1"/rows 2>/dev/null || ls -d /var/lib/"$1" 2>/dev/null || echo none', service)
  const lose = () => rm(join(user.stateDirectory, 'coordinator'), { recursive: true })
  const latest = async () => generationText(user, (await user.generations()).at(-1)!)
  const reconstruct = (...options: readonly string[]) =>
    user.run(['davit-reconstruct', '--format', 'json', ...options, modelFile(user, 'infrastructure')])
  /** Loses what the coordinator knows, and reads it back: it must be what was deployed. */
  const readBack = async () => {
    const deployed = await latest()
    await lose()
    expect(succeeded(await reconstruct('--set')).stdout).toBe(deployed)
  }

  test('is read back after its state has moved, and moves on', async () => {
    succeeded(await deploy(user, models({ a: 1, b: 1 })))
    await write(1, 'a', 'A')
    await write(1, 'b', 'B')
    succeeded(await deploy(user, models({ a: 2, b: 1 })))
    await readBack()
    await write(2, 'a', 'A2')
    succeeded(await deploy(user, models({ a: 1, b: 2 })))
    expect([await read(1, 'a'), await read(2, 'b')]).toEqual(['A2', 'B'])
    // What was read back tells what has moved away since.
    await run('davit-delete-state', '-o', await user.write('old.json', await generationText(user, 1)))
    expect([await read(2, 'a'), await read(1, 'b')]).toEqual(['none\n', 'none\n'])
    expect([await read(1, 'a'), await read(2, 'b')]).toEqual(['A2', 'B'])
  })

  test('is read back after its state was deleted, which comes back from what its target keeps', async () => {
    await host(1).sh('rm -r /var/lib/a')
    await readBack()
    expect(await read(1, 'a')).toBe('none\n')
    expect((await run('davit-restore', '-S', 'a')).stderr).toContain("no snapshot of 'a' is kept on this machine")
    await run('davit-snapshot', '-S', 'a', '--transfer-only')
    // Its module cannot save what is not there.
    expect(await user.run(['davit-restore', '-S', 'a'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/cannot be saved, so it is not replaced[^]*hint: .*--discard/),
    })
    await run('davit-restore', '-S', 'a', '--discard')
    expect(await read(1, 'a')).toBe('A2')
  })

  test('is read back without records, and the state that nothing records moves as long as it is marked', async () => {
    const records = [await recordOf('a', host(1)), await recordOf('b', host(2))]
    for (const [index, { key }] of records.entries()) {
      const kept = index === 0 ? '' : 'activated garbage'
      await hosts[index]!.sh(
        `cd /var/lib/davit/targets/* && rm -r active/default/wrapper:"$1" && cd dysnomia &&
        for name in *; do case " ${kept} " in *" $name "*) ;; *) rm -r "$name" ;; esac; done`,
        key,
      )
    }
    await takeJournal(hosts)
    const deployed = await latest()
    await lose()
    expect(await reconstruct()).toMatchObject({ status: 1, stdout: '' })
    expect(succeeded(await reconstruct('--set', '--prefer', 'profile')).stdout).toBe(deployed)
    const { stderr } = succeeded(await deploy(user, models({ a: 2, b: 1 })))
    expect(stderr).toContain("no record of service 'b' is left on target 'sr2': if it still runs, stop it by hand")
    expect(stderr).toContain("[sr1] warning: Skip state of 'a': nothing of it is left here, so that it begins anew")
    expect(await read(1, 'b')).toBe('B')
    // It is left alone, wherever davit does not know of it.
    expect([await read(1, 'a'), await read(2, 'a')]).toEqual(['A2', '/var/lib/a\n'])
    expect((await takeJournal(hosts)).toSorted()).toEqual(['activate a 1 wrapper', 'activate b 1 wrapper'])
  })
})
