import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, generationText, succeeded } from './harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from './harness/hosts.ts'
import { NIX_POSSIBLE } from './harness/language.ts'
import { deploy, infrastructureOf, makeManifest, type Models, writeModels } from './harness/models.ts'
import { activeOn, profileOn } from './harness/records.ts'
import { takeJournal, wrapper } from './harness/services.ts'

const PROFILES = '/nix/var/nix/profiles/disnix'
const DYSNOMIA = '/var/state/dysnomia'

const PAGE = readFileSync(new URL('../docs/adopt.md', import.meta.url), 'utf8')
const ENV = 'davit-env -s services.nix -i infrastructure.nix -d distribution.nix'

interface ManifestText {
  readonly profiles: Readonly<Record<string, string>>
  readonly services: Readonly<Record<string, { readonly name: string; readonly pkg: string }>>
}

/** A service that runs as a process, and whose state is a file that every version of it uses. */
const running = (version = '1') => ({
  version,
  body: `case $1 in
  activate) setsid sleep 100000 </dev/null >/dev/null 2>&1 & echo $! >/tmp/pid-\${here##*-} ;;
  deactivate) kill "$(cat /tmp/pid-\${here##*-})" ;;
esac`,
})

/** Starts the services of a manifest as Disnix does, and lays out what it and Dysnomia leave on a target. */
const AS_DISNIX = `
manifest=$1 snapshot=$2 && shift 2
for package in "$@"; do
  DAVIT_SERVICE=\${package#*-} "$package/bin/wrapper" activate wrapper
  mkdir -p ${DYSNOMIA}/activated/wrapper && : >${DYSNOMIA}/activated/wrapper/"\${package#*-}"
done
rm -f /tmp/journal
set -- ${DYSNOMIA}/snapshots/wrapper/"$snapshot"/abc ${DYSNOMIA}/generations/wrapper/"$snapshot"
mkdir -p "$@" && echo rows >"$1/dump" && ln -s ../../../snapshots/wrapper/"$snapshot"/abc "$2/1"
mkdir -p /tmp/made/ad1 ${PROFILES} && cp "$manifest" /tmp/made/ad1/profilemanifest.xml
nix-env -p ${PROFILES}/default --set "$(nix-store --add /tmp/made/ad1)"
rm -r /var/lib/davit /tmp/made`

describe.skipIf(!NIX_POSSIBLE)('a deployment of Disnix on a host', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let before: string

  const models = (version?: string): Models => ({
    services: { database: wrapper(running(), { deployState: true }), shop: wrapper(running(version)) },
    infrastructure: infrastructureOf([host]),
    distribution: { database: ['ad1'], shop: ['ad1'] },
  })
  /** Types a command of the page about this. */
  const type = (command: string) => {
    expect(PAGE).toContain(`\n${command}\n`)
    return user.bash(command)
  }
  const pids = () => host.sh('for pid in $(cat /tmp/pid-*); do kill -0 "$pid" && echo "$pid"; done')
  const originals = () => host.sh(`cd ${PROFILES} && ls && cat default/profilemanifest.xml && find ${DYSNOMIA} | sort`)

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'ad' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, language: 'Nix' })
    const file = await makeManifest(user, models())
    succeeded(await user.run(['davit-distribute', file]))
    const made = JSON.parse((await user.run(['cat', file])).stdout) as ManifestText
    const packages = Object.values(made.services).map(({ pkg }) => pkg)
    await host.sh(AS_DISNIX, `${made.profiles['ad1']}/profilemanifest.xml`, 'database', ...packages)
    await rm(join(user.stateDirectory), { recursive: true, force: true })
    before = await pids()
  }, 120_000)
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('keeps davit from starting its services once more', async () => {
    expect(before.trim().split('\n')).toHaveLength(2)
    for (const options of [['--dry-run'], []]) {
      const refused = await deploy(user, models(), { options })
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain(
        "'shop' in container 'wrapper' on 'ad1' is in the deployment 'default' of Disnix",
      )
      expect(refused.stderr).toContain('[original-deployment]')
    }
    expect([await takeJournal([host]), await pids()]).toEqual([[], before])
  })

  test('is adopted while it runs, and the same models then change nothing', async () => {
    const original = await originals()
    expect(succeeded(await type('davit-adopt --dry-run infrastructure.nix')).stdout).toContain(
      "'shop' in container 'wrapper'",
    )
    expect(await activeOn([host])).toEqual([])
    succeeded(await type('davit-adopt infrastructure.nix'))
    expect(await activeOn([host])).toEqual(['ad1 wrapper database', 'ad1 wrapper shop'])
    expect(succeeded(await type(`${ENV} --dry-run`)).stdout).toBe('nothing to do\n')
    const adopted = await generationText(user, 1)
    succeeded(await deploy(user, models()))
    expect(await user.generations()).toEqual([1])
    expect(await generationText(user, 1)).toBe(adopted)
    expect(succeeded(await type('davit-adopt infrastructure.nix')).stderr).toContain('nothing to adopt')
    expect([await takeJournal([host]), await pids(), await originals()]).toEqual([[], before, original])
    expect(succeeded(await user.run(['davit-snapshots', '--deployed', '--where', 'targets'])).stdout).toContain('abc')
  })

  test('is changed by davit, and given back', async () => {
    await writeModels(user, models('2'))
    succeeded(await type(`${ENV} --original-profile`))
    expect(await takeJournal([host])).toEqual(['deactivate shop 1 wrapper', 'activate shop 2 wrapper'])
    const { current, manifest } = await profileOn(host)
    const given = await originals()
    expect(await host.sh(`readlink -f ${PROFILES}/default`)).toBe(`${current}\n`)
    expect(given).toContain('default-2-link')
    expect(given).toContain(manifest)
    expect(given).toContain(`${DYSNOMIA}/activated/wrapper/shop\n`)
    succeeded(await type(`${ENV} --original-profile`))
    expect(await originals()).toBe(given)
    expect(succeeded(await type('davit-adopt infrastructure.nix')).stderr).toContain('nothing to adopt')
    expect(await takeJournal([host])).toEqual([])
  })

  test('is rolled back by davit, for Disnix as well', async () => {
    succeeded(await type('davit-env --rollback --original-profile'))
    expect(await takeJournal([host])).toEqual(['deactivate shop 2 wrapper', 'activate shop 1 wrapper'])
    const { current } = await profileOn(host)
    expect(await host.sh(`readlink -f ${PROFILES}/default`)).toBe(`${current}\n`)
  })
})
