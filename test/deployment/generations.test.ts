import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, generationText, type Outcome, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { hasBegun, heldBack, letGo, takeJournal, wrapper } from '../harness/services.ts'

/** Builds a large package that cannot be compressed. */
const LARGE = 'mkdir -p "$out"; head -c 1000000 /dev/urandom > "$out/data"'
/** Refuses to activate a version on a host that has its file. */
const REFUSE = '[ "$1" != activate ] || [ ! -e /tmp/refuse-$version ] || exit 1'

describe.skipIf(!HOSTS_POSSIBLE)('generations on two hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'ge' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** The database changes with every version, the web service never. */
  const models = (version: string, name = 'database'): Models => ({
    services: { [name]: wrapper({ version, body: REFUSE, build: LARGE }), web: wrapper({ version: `of ${name}` }) },
    infrastructure: infrastructureOf(hosts),
    distribution: { [name]: ['ge1'], web: ['ge2'] },
  })
  const davit = (...options: readonly string[]) => user.run(['davit-env', ...options])
  const current = async (profile = 'default') =>
    (await readFile(join(user.stateDirectory, 'coordinator', profile, 'current'), 'utf8')).trim()
  const currentOn = (host: Host, profile = 'default') =>
    host.sh('readlink "/var/lib/davit/targets/$1/profiles/$2/current"', host.name, profile)
  const sentNothing = ({ stderr }: Outcome) => expect(stderr).not.toMatch(/send \d+ package/)
  /** Returns the bytes that the first host has received. A deployment sends some even without packages. */
  const received = async () =>
    Number(await hosts[0]!.sh("awk '/:/ && !/lo:/ { sum += $2 } END { print sum }' /proc/net/dev"))
  const generations = (profile?: string) =>
    Promise.all([user.generations(profile), ...hosts.map(async (host) => (await profileOn(host, profile)).generations)])

  test('a rollback goes one back each time, sends nothing, and adds no generation', async () => {
    for (const version of ['1', '2', '3']) {
      const before = await received()
      succeeded(await deploy(user, models(version)))
      expect((await received()) - before).toBeGreaterThan(1_000_000)
    }
    expect(await generations()).toEqual([[1, 2, 3], [1, 2, 3], [1]])
    await takeJournal(hosts)
    for (const version of ['2', '1']) {
      const plan = succeeded(await davit('--rollback', '--dry-run'))
      expect(plan.stdout).toMatch(/^~ replace database in wrapper on ge1/m)
      const receivedBefore = await received()
      sentNothing(succeeded(await davit('--rollback')))
      expect((await received()) - receivedBefore).toBeLessThan(500_000)
      const before = Number(version) + 1
      expect(await takeJournal(hosts)).toEqual([
        `deactivate database ${before} wrapper`,
        `activate database ${version} wrapper`,
      ])
      expect([await current(), await currentOn(hosts[0]!)]).toEqual([version, `${version}-link\n`])
    }
    expect(await generations()).toEqual([[1, 2, 3], [1, 2, 3], [1]])
    const { status, stderr } = await davit('--rollback')
    expect([status, stderr]).toEqual([1, expect.stringContaining('there is no generation before the current one (1)')])
    expect(await takeJournal(hosts)).toEqual([])
  })

  test('any generation can be deployed again; the next deployment counts on', async () => {
    sentNothing(succeeded(await davit('--switch-to-generation', '3')))
    expect(await takeJournal(hosts)).toEqual(['deactivate database 1 wrapper', 'activate database 3 wrapper'])
    expect([await current(), await currentOn(hosts[0]!)]).toEqual(['3', '3-link\n'])
    sentNothing(succeeded(await davit('--switch-to-generation=3')))
    expect(await takeJournal(hosts)).toEqual([])
    expect(await davit('--switch-to-generation', '9')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no generation 9'),
    })
    succeeded(await davit('--rollback'))
    succeeded(await deploy(user, models('4')))
    expect(await current()).toBe('4')
    expect(await generations()).toEqual([[1, 2, 3, 4], [1, 2, 3, 4], [1]])
    expect(succeeded(await user.bash('davit-generations --previous')).stdout).toBe('3\n')
  })

  test('--abort undoes what a deployment has begun that was killed, and returns to the current one', async () => {
    await takeJournal(hosts)
    const next = models('5')
    const database = wrapper({ version: '5', body: heldBack('abort') })
    const files = await writeModels(user, { ...next, services: { ...next.services, database } })
    const killed = user.start(['davit-env', ...files])
    await hasBegun(hosts[0]!, 'abort')
    process.kill(-killed.process.pid!, 'SIGKILL')
    await killed.outcome
    letGo(hosts[0]!, 'abort')
    expect(succeeded(await davit('--abort', '--dry-run')).stdout).toMatch(
      /^[~+] (replace|activate) database in wrapper on ge1/m,
    )
    sentNothing(succeeded(await davit('--abort')))
    expect((await takeJournal(hosts)).at(-1)).toBe('activate database 4 wrapper')
    expect(await activeOn(hosts)).toEqual(['ge1 wrapper database', 'ge2 wrapper web'])
    expect([await current(), await currentOn(hosts[0]!)]).toEqual(['4', '4-link\n'])
    expect(await generations()).toEqual([[1, 2, 3, 4], [1, 2, 3, 4], [1]])
    succeeded(await davit('--abort'))
    expect(await takeJournal(hosts)).toEqual([])
    expect(await davit('--abort', '-p', 'unknown')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no generation to go back to'),
    })
  })

  test('profiles side by side know nothing of each other', async () => {
    for (const version of ['1', '2']) {
      succeeded(await deploy(user, models(version, 'shop'), { options: ['-p', 'default-b'] }))
    }
    await takeJournal(hosts)
    succeeded(await davit('--rollback', '-p', 'default-b'))
    expect(await takeJournal(hosts)).toEqual(['deactivate shop 2 wrapper', 'activate shop 1 wrapper'])
    expect([await current(), await current('default-b')]).toEqual(['4', '1'])
    expect(await activeOn(hosts)).toEqual(['ge1 wrapper database', 'ge2 wrapper web'])
    expect(await activeOn(hosts, 'default-b')).toEqual(['ge1 wrapper shop', 'ge2 wrapper web'])
    succeeded(await davit('-p', 'default-b', '--delete-all-generations'))
    expect(await user.generations('default-b')).toEqual([])
    expect(await user.generations()).toEqual([1, 2, 3, 4])
  })

  test('keep what they were made from, and are compared', async () => {
    const generations = async (...options: readonly string[]) =>
      succeeded(await user.run(['davit-generations', ...options])).stdout
    const shown = await generations('--show', '2')
    expect(shown).toMatch(/^command: davit-env, begun .* UTC in \S+$/m)
    expect(shown).toMatch(/^ {2}services: \S+, \d+ bytes, sha256 [0-9a-f]{12}$/m)
    expect(shown).toMatch(/^plan, carried out in [\d.]+ s: 1 activated, 1 deactivated$/m)
    expect(shown).toMatch(/^ {2}activate database in wrapper on ge1 \(changed package: .*\)$/m)
    const { madeFrom } = JSON.parse(await generations('--show', '2', '--format', 'json')) as {
      readonly madeFrom: { readonly models: readonly { readonly file: string; readonly text: string }[] }
    }
    const [services] = madeFrom.models
    expect(await generations('--show', '2', '--model', services?.file ?? '')).toBe(services?.text)
    expect(services?.text).toContain('database')
    expect(await generations('--diff', '1', '2')).toMatch(
      /^service database changed\n {2}package: \S+-database to \S+-database\nprofile of ge1 changed: \S+ to \S+\n$/,
    )
    expect(await generations('--diff', '2', '2')).toBe('')
  })

  const AGE = 'touch -h -d "2 days ago" "$1"/.davit/roots/temporary:* 2>/dev/null || :'
  const age = async () => {
    await user.run(['sh', '-c', AGE, 'sh', user.storeDirectory])
    for (const host of hosts) await host.sh(AGE, user.storeDirectory)
  }
  const LIST = 'cd "$1" && ls -d ????????????????????????????????-* 2>/dev/null || :'
  const stored = async (host?: Host) =>
    host === undefined
      ? (await user.run(['sh', '-c', LIST, 'sh', user.storeDirectory])).stdout
      : host.sh(LIST, user.storeDirectory)

  test('keep what they need when garbage is collected; nothing else stays', async () => {
    await age()
    const before = await Promise.all([stored(), ...hosts.map((host) => stored(host))])
    const plan = succeeded(await user.run(['davit-collect-garbage', '--deployed', '--dry-run']))
    expect(plan.stdout).toMatch(/^ +\d+ B {2}\/.*\.drv {2}on the coordinator$/m)
    expect(await Promise.all([stored(), ...hosts.map((host) => stored(host))])).toEqual(before)
    succeeded(await user.run(['davit-collect-garbage', '--deployed']))
    expect(await stored()).not.toContain('.drv')
    await takeJournal(hosts)
    for (const number of ['1', '2', '3', '4']) {
      sentNothing(succeeded(await davit('--switch-to-generation', number)))
      expect((await takeJournal(hosts)).at(-1)).toBe(`activate database ${number} wrapper`)
    }
    await age()
    expect(succeeded(await user.run(['davit-collect-garbage', '--deployed'])).stderr).toMatch(
      /the coordinator: there is no garbage[^]*ge1: there is no garbage/,
    )
  })

  test('can be deleted, except the current one; then their packages go', async () => {
    expect(await davit('--delete-generations', '4')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot delete generation 4: it is the current one'),
    })
    succeeded(await davit('--delete-generations', '1'))
    expect(await user.generations()).toEqual([2, 3, 4])
    succeeded(await davit('--delete-generations', 'old'))
    expect(await user.generations()).toEqual([4])

    const collect = ['davit-collect-garbage', '--deployed', '-d']
    const used = async () => Number(await hosts[0]!.sh('du -sk "$1" | cut -f 1', user.storeDirectory))
    const [{ stdout }, before] = [succeeded(await user.run([...collect, '--dry-run'])), await used()]
    expect(stdout.match(/^ 1000 kB {2}\S+-database {2}on ge1$/gm)).toHaveLength(3)
    succeeded(await user.run(collect))
    expect(before - (await used())).toSatisfy((freed: number) => Math.abs(freed - 3_000_000 / 1024) < 200)
    expect(await generations()).toEqual([[4], [4], [1]])
    const wrappers = (await stored(hosts[0])).match(/-database$/gm) ?? []
    expect(wrappers).toHaveLength(1)
    await takeJournal(hosts)
    const linesOfJournal = async () => succeeded(await user.run(['davit-journal', '-v'])).stdout
    const journal = await linesOfJournal()
    sentNothing(succeeded(await deploy(user, models('4'))))
    expect([await takeJournal(hosts), await linesOfJournal()]).toEqual([[], journal])
    expect(await activeOn(hosts)).toEqual(['ge1 wrapper database', 'ge2 wrapper web'])
    expect(await user.generations()).toEqual([4])
  })

  test('what is being sent is not collected by another coordinator', async () => {
    const build = LARGE.replace('1000000', '12000000')
    const large: Models = { ...models('1'), services: { large: wrapper({ build }) }, distribution: { large: ['ge1'] } }
    await hosts[0]!.slow(16_000_000)
    const sending = user.start(['davit-env', ...(await writeModels(user, large)), '-p', 'large'])
    const arrived = 'du -sk "$1/.davit/incoming" | cut -f 1'
    await eventually('a part of the package', async () => {
      return Number(await hosts[0]!.sh(arrived, user.storeDirectory)) > 1000
    })
    process.kill(-sending.process.pid!, 'SIGSTOP')
    for (const host of hosts) await host.sh(AGE, user.storeDirectory)
    const other = await coordinator({ hosts: set })
    await other.write('manifest.xml', await generationText(user, 4))
    succeeded(await other.run(['davit-collect-garbage', '-d', 'manifest.xml']))
    await other.remove()
    await hosts[0]!.befall('quick')
    process.kill(-sending.process.pid!, 'SIGCONT')
    expect(succeeded(await sending.outcome).stderr).toMatch(/send \d+ packages? \(12 MB\)/)
    expect(await activeOn(hosts, 'large')).toEqual(['ge1 wrapper large'])
    expect(await generations()).toEqual([[4], [4], [1]])
  })

  test('a rollback that fails leaves the generation that was there', async () => {
    succeeded(await deploy(user, models('5')))
    await hosts[0]!.sh('touch /tmp/refuse-4')
    const outcome = await davit('--rollback')
    expect(outcome.status).toBe(1)
    expect([await current(), await currentOn(hosts[0]!)]).toEqual(['5', '5-link\n'])
    expect((await takeJournal(hosts)).at(-1)).toBe('activate database 5 wrapper')
  })

  test('the journal says who has done what, with which outcome and generation; it survives what it is about', async () => {
    const linesOf = async (...options: readonly string[]) =>
      succeeded(await user.run(['davit-journal', ...options]))
        .stdout.trimEnd()
        .split('\n')
    const run = (text: string) =>
      expect.stringMatching(new RegExp(`^[\\d-]{10} [\\d:]{8} UTC  \\S+@\\S+  davit-env +${text}$`))
    expect(await linesOf('-n', '2')).toEqual([
      run('1 activated, 1 deactivated; done; generation 5'),
      run('1 activated, 2 deactivated, 1 failed; status 1: the transition failed: everything is as it was before'),
    ])
    const steps = await linesOf('-n', '1', '-v')
    expect(steps).toContainEqual(expect.stringMatching(/^ {2}[\d:]{8} \[ge1\] activate database in wrapper: failed: /))
    expect(await linesOf('-p', 'default-b', '-n', '1')).toEqual([
      run('deleted generations 1, 2: the coordinator has forgotten the deployment; done'),
    ])
  })
})
