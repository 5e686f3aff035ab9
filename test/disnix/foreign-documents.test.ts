import { sampleOf } from '@davit/testing/effort'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { infrastructureOf, writeModels } from '../harness/models.ts'
import { closureIn, storeShell } from '../harness/nix-store.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { takeJournal, wrapper } from '../harness/services.ts'

/** A profile as Disnix makes it: a profile manifest, and links to what is in the packages. */
const PROFILE = `{ packages }: derivation {
  name = "fo1";
  system = builtins.currentSystem;
  builder = "/bin/sh";
  packages = map builtins.storePath packages;
  args = [ "-c" ''
    PATH=/usr/bin:/bin; mkdir -p $out/bin
    echo '<profilemanifest version="2"/>' >$out/profilemanifest.xml
    for package in $packages; do ln -sf $package/bin/* $out/bin/; done
  '' ];
}
`

/** A module of Dysnomia, which only the host has. */
const SHELF = `mkdir -p /etc/dysnomia/modules
cat >/etc/dysnomia/modules/shelf <<'end'
#!/bin/sh
case $1 in *lock) exit 0 ;; esac
echo "$1 \${2##*-} $3 $size" >>/tmp/shelf
end
chmod +x /etc/dysnomia/modules/shelf`

describe.skipIf(!NIX_POSSIBLE)('a manifest of Disnix', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let manifest: string

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'fo' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, language: 'Nix' })
    manifest = await manifestOfDisnix()
    await user.write('manifest.xml', manifest)
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** What davit makes of models, with the profile and the type `shelf` as Disnix would have them. */
  async function manifestOfDisnix(): Promise<string> {
    const containers = { wrapper: {}, shelf: { size: 7 } }
    const options = await writeModels(user, {
      services: { web: wrapper(), books: wrapper({ version: '2' }) },
      infrastructure: infrastructureOf(set.hosts, { containers, clientInterface: 'disnix-ssh-client' }),
      distribution: { web: ['fo1'], books: { targets: [{ target: 'fo1', container: 'shelf' }] } },
    })
    const made = succeeded(await user.bash(`davit-normalize ${options.join(' ')} | davit-manifest`)).stdout
    const packages = [...made.matchAll(/<pkg>(.*?)<\/pkg>/g)].map(([, pkg]) => `"${pkg}"`)
    await user.write('profile.nix', PROFILE)
    const build = `nix-build --no-out-link profile.nix --arg packages '[ ${packages.join(' ')} ]'`
    const profile = (await storeShell(user, build)).trim()
    return made
      .replace(/(?<=<profile name="fo1">)[^<]*/, profile)
      .replace(/(?<=<name>books<\/name>(?:(?!<\/service>)[^])*<type>)wrapper/, 'shelf')
  }

  test('is refused by every tool before anything is sent', async () => {
    for (const tool of sampleOf(['distribute', 'activate', 'activate --dry-run', 'activate --check', 'set'], 2)) {
      const { status, stdout, stderr } = await user.bash(`davit-${tool} manifest.xml`)
      expect([tool, status, stdout]).toEqual([tool, 65, ''])
      expect(stderr).toContain("the profile of 'fo1' has no module for type 'shelf', used by 'books'")
      expect(stderr).toContain("the profile of 'fo1' has no module for type 'wrapper', used by 'web'")
      expect(stderr).toContain('davit-manifest -D MANIFEST')
    }
    expect(await host.sh('ls -A /nix/store')).toBe('')
  })

  test('starts nothing if even the Dysnomia of the host lacks a module, which a dry run tells before anything is sent', async () => {
    const refuse = async (option: string) => {
      const { status, stderr } = await user.bash(`davit-env -D manifest.xml ${option}`)
      expect(status).toBe(1)
      expect(stderr).toContain("no module for type 'shelf', used by 'books', and Dysnomia has none there")
    }
    await refuse('--dry-run')
    expect(await host.sh('ls -A /nix/store')).toBe('')
    await refuse('')
    expect([await activeOn([host]), await takeJournal([host])]).toEqual([[], []])
  })

  test('is deployed with the modules of davit and those of the Dysnomia of the host, and the second time nothing is done', async () => {
    await host.sh(SHELF)
    succeeded(await user.run(['davit-env', '-D', 'manifest.xml']))
    expect(await activeOn([host])).toEqual(['fo1 shelf books', 'fo1 wrapper web'])
    expect(await host.sh('cat /tmp/shelf')).toMatch(/^activate \S+ shelf 7\n$/)
    const records = '/var/lib/davit/targets/fo1/active/default'
    expect(await host.sh(`grep -h ^module ${records}/shelf:*/record`)).toBe('module /etc/dysnomia/modules/shelf\n')
    const given = /<profile name="fo1">(.*?)<\/profile>/.exec(manifest)?.[1]
    expect(await closureIn(host, (await profileOn(host)).current!)).toContain(given)
    expect(await takeJournal([host])).toEqual(['activate web 1 wrapper'])
    expect(succeeded(await user.run(['davit-env', '-D', 'manifest.xml'])).stderr).toContain('nothing to do')
    expect(await takeJournal([host])).toEqual([])
    expect(await user.generations()).toEqual([1])
  })

  test('is undeployed again', async () => {
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.nix']))
    expect(await activeOn([host])).toEqual([])
    expect(await host.sh('cut -d" " -f 1,3 /tmp/shelf')).toBe('activate shelf\ndeactivate shelf\n')
    expect(await takeJournal([host])).toEqual(['deactivate web 1 wrapper'])
  })
})
