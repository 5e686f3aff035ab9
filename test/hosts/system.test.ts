import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { leavingAlone } from '../harness/left-alone.ts'
import { openMeetingPoint } from '../harness/meeting-point.ts'
import { ALL_SCENARIOS, NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf } from '../harness/models.ts'
import { nixModel } from '../harness/nix-language.ts'
import { activeOn, davitFilesOn, recordOf } from '../harness/records.ts'
import { wrapper } from '../harness/services.ts'

const EXAMPLE = fileURLToPath(new URL('../../packages/examples/guestbook', import.meta.url))

/** The models in Nix deploy what those of `deployment/nix-models.test.ts` and of the example hello do. */
const WITH_NIX = NIX_POSSIBLE && ALL_SCENARIOS

describe.skipIf(!HOSTS_POSSIBLE)('systems on three hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'sy' })
    hosts = set.hosts
    user = await coordinator({ hosts: set, nix: WITH_NIX })
    await cp(EXAMPLE, join(user.directory, 'guestbook'), { recursive: true })
    const containers = { process: { dataDirectory: '/var/lib/guestbook' } }
    const infrastructure = infrastructureOf(hosts, { containers, numOfCores: 2 })
    const distribution = { entries: ['sy1'], api: ['sy2'], page: ['sy3'] }
    await user.write('guestbook/infrastructure.yaml', infrastructure)
    await user.write('guestbook/infrastructure.nix', nixModel('infrastructure', infrastructure))
    await user.write('guestbook/distribution.yaml', distribution)
    await user.write('guestbook/distribution.nix', nixModel('distribution', distribution))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('there is nothing of davit on the hosts before', async () => {
    expect(await Promise.all(hosts.map((host) => davitFilesOn(host, user.storeDirectory)))).toEqual(['', '', ''])
  })

  const guestbook = (services: string) => {
    const language = services.endsWith('.nix') ? 'nix' : 'yaml'
    const others = ['-i', `guestbook/infrastructure.${language}`, '-d', `guestbook/distribution.${language}`]
    return ['-s', `guestbook/${services}`, ...others]
  }
  const deployGuestbook = async (services: string) => {
    succeeded(await user.run(['davit-env', ...guestbook(services)]))
  }
  const page = async (options: RequestInit = {}) => (await fetch(`http://${hosts[2]!.address}:7003/`, options)).text()
  const sign = (entry: string) => page({ method: 'POST', body: new URLSearchParams({ entry }) })
  const serverOf = (host: Host) =>
    host.sh(
      'for d in /proc/[0-9]*; do grep -qs server.mjs "$d/cmdline" && [ "${d#/proc/}" != $$ ] && cut -d" " -f1,22 "$d/stat"; done; :',
    )

  test('the guestbook answers over HTTP from three machines', async () => {
    await deployGuestbook('yaml/services.yaml')
    expect(await activeOn(hosts)).toEqual(['sy1 process entries', 'sy2 process api', 'sy3 process page'])
    expect(await page()).toContain('<h1>Guestbook</h1>')
    await sign('first & <best>')
    expect(await sign('second')).toMatch(/<li>second<\/li>\s*<li>first &#38; &#60;best&#62;<\/li>/)
    expect(await hosts[0]!.sh('cat /var/lib/guestbook/entries')).toBe('"first & <best>"\n"second"\n')
  })

  test('its models in TypeScript mean the same: the keys are the same and nothing is to do', async () => {
    const keysOf = async (services: string) => {
      const { stdout } = await user.bash(
        `davit-normalize ${guestbook(services).join(' ')} | davit-manifest --format json`,
      )
      return Object.keys((JSON.parse(stdout) as { services: object }).services)
    }
    const keys = await keysOf('typescript/services.ts')
    expect(keys).toHaveLength(3)
    expect(keys).toEqual(await keysOf('yaml/services.yaml'))
    const before = await Promise.all(hosts.map(serverOf))
    await deployGuestbook('typescript/services.ts')
    expect(await Promise.all(hosts.map(serverOf))).toEqual(before)
    expect(await user.generations()).toEqual([1])
  })

  test.skipIf(!NIX_POSSIBLE)('its models in Nix mean the same but for their packages, which can be built', async () => {
    const other = await coordinator({ nix: true })
    onTestFinished(() => other.remove())
    await cp(join(user.directory, 'guestbook'), join(other.directory, 'guestbook'), { recursive: true })
    const meaningOf = async (of: Coordinator, services: string) => {
      const { stdout } = succeeded(await of.run(['davit-normalize', ...guestbook(services)]))
      return JSON.parse(stdout, (name, value: unknown) =>
        ['derivation', 'outPath', 'store', 'attributes'].includes(name) ? undefined : value,
      ) as object
    }
    const meaning = await meaningOf(user, 'yaml/services.yaml')
    expect(Object.keys(meaning)).toContain('services')
    expect(await meaningOf(other, 'nix/services.nix')).toEqual(meaning)
    const build = `davit-normalize ${guestbook('nix/services.nix').join(' ')} | davit-manifest`
    expect(succeeded(await other.bash(build)).stdout.match(/<pkg>/g)).toHaveLength(3)
  })

  test('an upgrade of the middle restarts it and what depends on it, and keeps the entries', async () => {
    const before = await Promise.all(hosts.map(serverOf))
    const program = join(user.directory, 'guestbook/programs/api.mjs')
    await writeFile(program, (await readFile(program, 'utf8')).replace('.toReversed()', ''))
    await deployGuestbook('yaml/services.yaml')
    const after = await Promise.all(hosts.map(serverOf))
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(after[2]).not.toBe(before[2])
    expect(await page()).toMatch(/<li>first.*<\/li>\s*<li>second<\/li>/)
  })

  test('one machine of it is upgraded alone, and two with all that depends on the middle', async () => {
    const edit = async (name: string, old: string, by: string) => {
      const program = join(user.directory, `guestbook/programs/${name}.mjs`)
      await writeFile(program, (await readFile(program, 'utf8')).replace(old, by))
    }
    const upgrade = async (on: string) =>
      succeeded(await user.run(['davit-env', ...guestbook('yaml/services.yaml'), '--on', on]))
    const before = await Promise.all(hosts.map(serverOf))
    await edit('page', '<h1>Guestbook</h1>', '<h1>Our guestbook</h1>')
    await leavingAlone(hosts.slice(0, 2), user, () => upgrade('sy3'))
    const between = await Promise.all(hosts.map(serverOf))
    expect(between.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(await page()).toContain('<h1>Our guestbook</h1>')

    await edit('api', 'answer.json())', 'answer.json()).slice()')
    await leavingAlone(hosts.slice(0, 1), user, () => upgrade('service:...api'))
    const after = await Promise.all(hosts.map(serverOf))
    expect(after.map((server, index) => server === between[index])).toEqual([true, false, false])
    expect(await page()).toContain('<li>second</li>')
  })

  test.skipIf(!WITH_NIX)('its models in Nix take the place of the others, with packages from Nix', async () => {
    await deployGuestbook('nix/services.nix')
    expect(await activeOn(hosts)).toEqual(['sy1 process entries', 'sy2 process api', 'sy3 process page'])
    expect((await recordOf('page', hosts[2]!)).pkg).toMatch(/^\/nix\/store\//)
    expect(await sign('third')).toMatch(/<li>first.*<\/li>\s*<li>second<\/li>\s*<li>third<\/li>/)
    const before = await Promise.all(hosts.map(serverOf))
    await deployGuestbook('nix/services.nix')
    expect(await Promise.all(hosts.map(serverOf))).toEqual(before)
  })

  test.skipIf(!WITH_NIX)('an upgrade of the middle of those restarts it and what depends on it', async () => {
    const before = await Promise.all(hosts.map(serverOf))
    const program = join(user.directory, 'guestbook/programs/api.mjs')
    await writeFile(program, (await readFile(program, 'utf8')).replace('answer.json())', 'answer.json()).toReversed()'))
    await deployGuestbook('nix/services.nix')
    const after = await Promise.all(hosts.map(serverOf))
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(after[2]).not.toBe(before[2])
    expect(await page()).toMatch(/<li>third.*<\/li>\s*<li>second<\/li>/)
  })

  test.each(WITH_NIX ? ['nix', 'yaml'] : ['yaml'])('undeployment in %s stops every process', async (language) => {
    const outcome = await user.run(['davit-env', '--undeploy', '-i', `guestbook/infrastructure.${language}`])
    succeeded(outcome)
    expect(await activeOn(hosts)).toEqual([])
    expect(await Promise.all(hosts.map(serverOf))).toEqual(['', '', ''])
    await expect(page()).rejects.toThrow('fetch failed')
  })

  test('six services on three hosts start at the same time: none is up before all six have begun', async () => {
    const meeting = await openMeetingPoint(set.coordinatorAddress, 6)
    const address = `/dev/tcp/${set.coordinatorAddress}/${meeting.port}`
    const body = `if [ "$1" = activate ]; then
      [ "$(timeout 30 bash -c 'exec 3<>${address} && IFS= read -r word <&3 && echo "$word"')" = go ] || exit 1
    fi`
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const services = Object.fromEntries(names.map((name) => [name, wrapper({ body })]))
    const distribution = Object.fromEntries(names.map((name, index) => [name, [hosts[index % 3]!.name]]))
    const infrastructure = infrastructureOf(hosts, { numOfCores: 4 })
    const outcome = await deploy(user, { services, infrastructure, distribution })
    succeeded(outcome)
    expect(meeting.most()).toBe(6)
    await meeting.close()
    expect(await activeOn(hosts)).toHaveLength(6)
  })

  test('a target runs no more activities at a time than it has cores', async () => {
    const body = `if [ "$1" = activate ]; then
      touch /tmp/now.$DAVIT_SERVICE; ls /tmp/now.* | wc -l >> /tmp/counts; sleep 0.2; rm /tmp/now.$DAVIT_SERVICE
    fi`
    const names = ['g', 'h', 'i', 'j', 'k']
    const services = Object.fromEntries(names.map((name) => [name, wrapper({ body })]))
    const distribution = Object.fromEntries(names.map((name) => [name, ['sy1']]))
    const outcome = await deploy(
      user,
      {
        services,
        distribution,
        infrastructure: infrastructureOf(hosts, { numOfCores: 2 }),
      },
      { options: ['--take-over'] },
    )
    succeeded(outcome)
    const counts = (await hosts[0]!.sh('cat /tmp/counts')).trim().split(/\s+/).map(Number)
    expect(Math.max(...counts)).toBe(2)
  })
})
