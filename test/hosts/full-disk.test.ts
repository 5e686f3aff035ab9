import { chmod, mkdtemp } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { survey } from '../faults/observe/survey.ts'
import { coordinator, type Coordinator, type Outcome, succeeded } from '../harness/coordinator.ts'
import { ALL_AMOUNTS, fillStepByStep, type SmallPlace } from '../harness/full-disk.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { EACH_LANGUAGE } from '../harness/language.ts'
import { infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { processTable } from '../harness/process-table.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

const PATIENCE = { timeout: 600_000 }
/** A Nix store grows with each attempt, and so needs larger steps. */
const STEPS = { YAML: { growth: 4, progress: 3 }, Nix: { growth: 6, progress: 100 } } as const

describe.skipIf(!HOSTS_POSSIBLE).each(EACH_LANGUAGE)('a target without space, models in %s', (language) => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let environment: Readonly<Record<string, string>>
  let disk: SmallPlace

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'fd' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, language })
    // /tmp is not on the disk of a host.
    const lasting = await mkdtemp('/var/tmp/davit-full-disk-')
    await chmod(lasting, 0o755)
    environment = { DAVIT_STORE_DIR: `${lasting}/store` }
    disk = {
      leave: ({ bytes = 1e9, files }) => host.fill(bytes, files),
      free: () => host.befall('free'),
      async used() {
        return usedOf(await host.sh("stat -f -c '%b %f %c %d' /"))
      },
    }
  })
  afterAll(async () => {
    await set?.down()
    const store = environment?.['DAVIT_STORE_DIR'] ?? ''
    await user?.run(['sh', '-c', 'chmod -R u+w "$1"; rm -rf "${1%/*}"', 'sh', store])
    await user?.remove()
  })

  const models = (database: WrapperOptions, version = '1'): Models => ({
    services: {
      database: wrapper(database),
      web: {
        type: 'process',
        dependsOn: ['database'],
        pkg: {
          build: {
            env: { database: '${database.name}', version },
            script: 'mkdir -p $out/bin\nprintf "#!/bin/sh\\nexec sleep 86399\\n" > $out/bin/web\nchmod +x $out/bin/web',
          },
        },
      },
    },
    infrastructure: infrastructureOf(set.hosts, { containers: { wrapper: {}, process: {} } }),
    distribution: { database: ['fd1'], web: ['fd1'] },
  })
  const deploy = async (of: Models) => user.run(['davit-env', ...(await writeModels(user, of))], { environment })
  const both = ['fd1 process web', 'fd1 wrapper database']

  const kinds = language === 'Nix' ? (['bytes'] as const) : (['bytes', 'files'] as const)
  test.each(kinds)('is reported for each number of %s that is too small', PATIENCE, async (kind) => {
    const before = await activeOn(set.hosts)
    const generations = await user.generations()
    const of = models({ version: kind }, kind)
    const outcomes = await fillStepByStep(disk, { kind, ...STEPS[language] }, async () => {
      const outcome = await deploy(of)
      if (outcome.status !== 0) await checkFailure(kind, outcome, before)
      return outcome
    })
    console.info(`${outcomes.length - 1} runs for want of ${kind}, models in ${language}`)
    expect(outcomes.length).toBeGreaterThan(3)
    await expectDeployed([...generations, generations.length + 1])
    expect(doubled(await takeJournal(set.hosts))).toBe(false)
  })

  /** Checks that the remaining files and records are correct, and that nothing half done counts. */
  async function checkFailure(kind: 'bytes' | 'files', { status, stderr }: Outcome, before: readonly string[]) {
    expect(stderr).toMatch(/no space left|disk is full|disk I\/O error/i)
    expect(stderr).toContain("'fd1'")
    // A rollback needs files of its own, and no bytes.
    expect(kind === 'bytes' ? [1, 73] : [1, 2, 3, 73]).toContain(status)
    const [active, table] = [await activeOn(set.hosts), await processTable(set.hosts)]
    expect(table.length).toBeLessThanOrEqual(active.filter((line) => line.includes(' web')).length)
    expect(active).toEqual(status === 1 || status === 73 ? before : active)
    const [{ leftFiles } = { leftFiles: [] }] = survey({
      ...set,
      storeDirectory: environment['DAVIT_STORE_DIR'] ?? '',
    })
    const harmless = kind === 'bytes' ? /^\/tmp\/journal$/ : /^\/tmp\/journal$|\/holder$/
    expect(leftFiles.filter((file) => !harmless.test(file))).toEqual([])
    expect(await host.sh(BAD_STORE, environment['DAVIT_STORE_DIR'] ?? '')).toBe('')
  }

  async function expectDeployed(generations: readonly number[]) {
    const again = await user.run(['davit-env', '-D', await lastManifest()], { environment })
    expect(succeeded(again).stderr).toContain('nothing to do: ')
    expect([await activeOn(set.hosts), (await processTable(set.hosts)).length]).toEqual([both, 1])
    expect([await user.generations(), (await profileOn(host)).generations]).toEqual([generations, generations])
  }

  const lastManifest = async () => {
    const { stdout } = succeeded(await user.run(['davit-generations', '--current'], { environment }))
    await user.write('last.json', stdout)
    return 'last.json'
  }

  const isNative = language === 'YAML'
  const greedy = [
    [
      'what was before runs again where the service gives it back',
      'rm -f /var/ballast',
      1,
      'everything is as it was before',
    ],
    ['what is missing is told where it does not', ':', 2, "what remains: activate 'web' on 'fd1'"],
  ] as const
  test.runIf(isNative || ALL_AMOUNTS).each(greedy.slice(0, ALL_AMOUNTS ? 2 : 1))(
    'a service that takes all space as it starts is stopped; %s',
    PATIENCE,
    async (_, atItsEnd, status, told) => {
      succeeded(await deploy(models({ version: 'kept' })))
      const generations = await user.generations()
      await takeJournal(set.hosts)
      const body = `case $1 in activate) head -c 100000000 /dev/zero >/var/ballast; exit 1 ;; deactivate) ${atItsEnd} ;; esac`
      await host.fill(20_000_000)
      const outcome = await deploy(models({ version: 'greedy', body }))
      await host.befall('free')
      await host.sh('rm -f /var/ballast')
      expect([outcome.status, outcome.stderr]).toEqual([
        status,
        expect.stringMatching(/written there .*no space left/i),
      ])
      expect(outcome.stderr).toContain(told)
      expect(await takeJournal(set.hosts)).toEqual([
        'deactivate database kept wrapper',
        'deactivate database greedy wrapper',
        'activate database kept wrapper',
      ])
      succeeded(await deploy(models({ version: 'kept' })))
      expect(await takeJournal(set.hosts)).toEqual([])
      await expectDeployed(generations)
    },
  )

  test.runIf(isNative || ALL_AMOUNTS)(
    'nothing is stopped where the lock cannot be taken, and everything once it can',
    async () => {
      const undeploy = () =>
        user.run(['davit-env', '--undeploy', '-i', `infrastructure.${language.toLowerCase()}`], { environment })
      await host.fill(0)
      const refused = await undeploy()
      expect([refused.status, refused.stderr]).toEqual([
        73,
        expect.stringMatching(/target 'fd1': .*no space left[^]*hint: free some space/i),
      ])
      expect(await activeOn(set.hosts)).toEqual(both)
      await host.befall('free')
      succeeded(await undeploy())
      expect([await activeOn(set.hosts), await processTable(set.hosts)]).toEqual([[], []])
    },
  )
})

test.skipIf(noSmallDisk !== undefined)('a coordinator without space says so at each step', PATIENCE, async () => {
  const user = await coordinator()
  onTestFinished(() => user.remove())
  for (const kind of ['bytes', 'files'] as const) {
    const small = smallDisk(8 * 1024 * 1024)
    onTestFinished(() => small.remove())
    const at = (name: string) => join(small.directory, name)
    const environment = { DAVIT_STATE_DIR: at('state'), DAVIT_STORE_DIR: at('store'), TMPDIR: at('tmp') }
    mkdirSync(at('tmp'))
    const disk: SmallPlace = {
      leave: async ({ bytes, files }) => (files === undefined ? small.fill(bytes) : small.fillFiles(files)),
      free: async () => small.free(),
      used: async () =>
        usedOf(spawnSync('stat', ['-f', '-c', '%b %f %c %d', small.directory], { encoding: 'utf8' }).stdout),
    }
    const target = { properties: { hostname: 'here' }, clientInterface: 'local', containers: { wrapper: {} } }
    const options = await writeModels(user, {
      services: { database: wrapper({ version: `without ${kind}`, journal: join(user.directory, 'calls') }) },
      infrastructure: { here: target },
      distribution: { database: ['here'] },
    })
    const deploy = () => user.run(['davit-env', ...options], { environment })
    const steps = { kind, growth: 8, progress: 12 }
    const outcomes = await fillStepByStep(disk, steps, deploy)
    const failed = outcomes.slice(0, -1)
    console.info(`${failed.length} runs for want of ${kind} on the coordinator`)
    expect(failed.filter(({ stderr }) => !/no space left/i.test(stderr))).toEqual([])
    expect(failed.filter(({ status }) => ![1, 3, 73].includes(status ?? 0))).toEqual([])
    expect(succeeded(await deploy()).stderr).toContain('nothing to do: ')
    const find = `cd "$1" && find . -path '*incoming/*' -o -name '*.new*' -o -name '.davit-*' -o -path './tmp/*' -o -name holder -o -name lock.json`
    expect(succeeded(await user.run(['sh', '-c', find, 'sh', small.directory])).stdout).toBe('')
  }
})

/** Prints the paths of a native store without a registration, and the registrations without a path. */
const BAD_STORE = `cd "$1/.davit/registrations" 2>/dev/null || exit 0
for record in *.json; do
  [ "$record" = '*.json' ] || { [ -s "$record" ] && [ -e "$1/\${record%.json}" ]; } || echo "$record"
done
for path in "$1"/*-*; do
  [ ! -e "$path" ] || [ -s "\${path##*/}.json" ] || echo "$path"
done`

/** Whether something was started twice without being stopped in between. */
function doubled(journal: readonly string[]): boolean {
  const calls = journal.map((line) => line.split(' ', 1)[0])
  return calls.some((call, index) => call === 'activate' && calls[index - 1] === 'activate')
}

/** Returns the used amounts of a file system, from the numbers of all and of free blocks and files that `stat` prints. */
function usedOf(text: string) {
  const [blocks = 0, freeBlocks = 0, files = 0, freeFiles = 0] = text.split(' ').map(Number)
  return { bytes: (blocks - freeBlocks) * 4096, files: files - freeFiles }
}
