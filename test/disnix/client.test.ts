import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type RunOptions, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'

/** Writes down how it is called, and keeps a line of text as its state. */
const WRAPPER = `#!/bin/sh
echo "$1 in $2: $secret" >>/var/calls
case $1 in lock) [ ! -e /var/refuse ] ;; esac
`
const MODULE = `#!/bin/sh
case $1 in
  activate) [ -e /var/row ] || echo fresh >/var/row; echo "<$odd>" ;;
  snapshot) cp /var/row "$DAVIT_SNAPSHOT/row" ;;
  restore) cp "$DAVIT_SNAPSHOT/row" /var/row ;;
  collect-garbage) rm -f /var/row ;;
esac
`

describe.skipIf(!HOSTS_POSSIBLE)('davit-client, for the tools of Disnix', () => {
  let set: TestHosts
  let host: Host
  /** Builds with Nix. */
  let user: Coordinator
  /** Calls davit-client, which needs no Nix of its own. */
  let caller: Coordinator
  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'cl' })
    host = set.hosts[0] as Host
    user = await coordinator({ hosts: set, nix: true })
    caller = await coordinator({ hosts: set })
    await user.write('modules/row', MODULE)
    await user.write('modules/row.activities', 'activate\ndeactivate\nsnapshot\nrestore\ncollect-garbage\n')
    succeeded(await user.run(['chmod', '+x', 'modules/row']))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
    await caller?.remove()
  })

  const client = (...words: readonly string[]) =>
    caller.run(['davit-client', '--target', 'cl1', ...words], {
      environment: { TMPDIR: user.directory },
      process: words.includes('--shell'),
    })
  const ask = async (...words: readonly string[]) =>
    succeeded(await client(...words))
      .stdout.split('\n')
      .slice(0, -1)
  /** Evaluates an expression on this machine and builds it; prints derivation and output. */
  const build = async (expression: string) => {
    const script = 'd=$(nix-instantiate --expr "$1" 2>/dev/null); echo $d; nix-store -r $d 2>/dev/null'
    const { stdout } = succeeded(await user.run(['sh', '-ec', script, 'sh', expression]))
    return stdout.trim().split('\n') as [derivation: string, output: string]
  }
  const derivation = (name: string, script: string) =>
    `derivation { name = "${name}"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" ''PATH=/usr/bin:/bin; ${script}'' ]; }`
  const copy = async (...paths: readonly string[]) => {
    const { stdout } = succeeded(
      await user.run(['sh', '-c', 'nix-store --export $(nix-store -qR "$@") >closure; echo closure', 'sh', ...paths]),
    )
    succeeded(await client('--import', '--localfile', join(user.directory, stdout.trim())))
  }
  let profile: string
  let component: string

  test('copies packages there and back, builds there, and sets profiles', async () => {
    const [deriver, output] = await build(derivation('there', 'echo there >$out'))
    expect(await ask('--print-invalid', deriver, output)).toEqual([deriver, output])
    await copy(deriver)
    expect(await ask('-r', deriver)).toEqual([output])
    expect(await ask('--print-invalid', deriver, output)).toEqual([])
    const [file = ''] = await ask('--export', '--remotefile', output)
    expect(succeeded(await user.run(['sh', '-c', 'nix-store --import <"$0"', file])).stdout).toBe(`${output}\n`)
    await user.write('bin/wrapper', WRAPPER)
    ;[, component] = await build(
      derivation(
        'web',
        `mkdir -p $out/bin; cp \${${join(user.directory, 'bin/wrapper')}} $out/bin/wrapper; chmod +x $out/bin/wrapper`,
      ),
    )
    const manifest = `<profilemanifest version="2"><services><service name="${'a'.repeat(64)}"><name>web</name><pkg>${component}</pkg><type>wrapper</type><dependsOn/><connectsTo/></service></services><serviceMappings><mapping><container>wrapper</container><service>${'a'.repeat(64)}</service></mapping></serviceMappings><snapshotMappings/></profilemanifest>`
    await user.write('profilemanifest.xml', manifest)
    ;[, profile] = await build(
      derivation(
        'cl1',
        `mkdir $out; cp \${${join(user.directory, 'profilemanifest.xml')}} $out/profilemanifest.xml; echo \${builtins.storePath ${component}} >$out/web`,
      ),
    )
    await copy(component, profile)
    expect(await ask('--query-installed', '-p', 'shop')).toEqual([])
    for (const _ of [1, 2]) expect(await ask('--set', '-p', 'shop', profile)).toEqual([])
    expect(succeeded(await client('-q', '--profile=shop')).stdout).toBe(manifest)
    const closure = await ask('--query-requisites', '/nix/var/nix/profiles/disnix/shop')
    expect(closure.at(-1)).toBe(profile)
    expect(await host.sh('readlink /nix/var/nix/profiles/disnix/shop')).toBe('shop-1-link\n')
    expect(await ask('--collect-garbage', '-d')).toEqual([])
    expect(await ask('--print-invalid', output, profile)).toEqual([output])
  })

  test('calls the modules of davit, and locks what is deployed', async () => {
    const secret = `it's "$(touch /var/touched)"; \`id\` --x\nend`
    const settings = [
      '--container',
      'wrapper',
      '--type',
      'wrapper',
      '--arguments',
      'a=b',
      '--arguments',
      `secret=${secret}`,
    ]
    expect(await ask('--activate', ...settings, component)).toEqual([])
    expect(await ask('--lock', '-p', 'shop')).toEqual([])
    expect(await client('--lock', '-p', 'shop')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is locked') as string,
    })
    expect(await ask('--unlock', '-p', 'shop')).toEqual([])
    expect(await client('--unlock', '-p', 'shop')).toMatchObject({ status: 1 })
    await host.sh('touch /var/refuse')
    expect(await client('--lock', '-p', 'shop')).toMatchObject({ status: 1 })
    await host.sh('rm /var/refuse; ! ls /tmp/disnix-*.lock')
    expect(await ask(component, '--deactivate', ...settings)).toEqual([])
    const asked = ['lock', 'unlock', 'unlock', 'lock', 'unlock'].map((name) => `${name} in wrapper: \n`).join('')
    expect(await host.sh('cat /var/calls')).toBe(
      `activate in wrapper: ${secret}\n${asked}deactivate in wrapper: ${secret}\n`,
    )
    await host.sh('[ ! -e /var/touched ]')
  })

  test('takes, moves and restores snapshots', async () => {
    const settings = ['--type', 'row', '--modules', join(user.directory, 'modules'), '--container', 'box']
    expect(await ask('--activate', ...settings, '--arguments', 'odd=-x=1', '--', component)).toEqual(['<-x=1>'])
    for (const row of ['one', 'two']) {
      await host.sh('echo "$1" >/var/row', row)
      expect(await ask('--snapshot', ...settings, component)).toEqual([])
    }
    const of = ['--container', 'box', '--component', 'web']
    const all = await ask('--query-all-snapshots', ...of)
    expect(all.length).toBe(2)
    expect(await ask('--query-latest-snapshot')).toEqual(all.slice(1))
    const paths = await ask('--resolve-snapshots', ...all)
    const [first = ''] = await ask('--export-snapshots', ...paths)
    expect(await ask('--clean-snapshots', '--keep', '1')).toEqual([])
    expect(await ask('--print-missing-snapshots', ...all)).toEqual(all.slice(0, 1))
    const id = all[0]?.split('/').at(-1) ?? ''
    expect(await ask('--import-snapshots', '--localfile', ...of, join(first, id))).toEqual([])
    expect(await ask('--import-snapshots', '--remotefile', ...of, ...paths.slice(0, 1))).toEqual([])
    expect(await ask('--restore', ...settings, component)).toEqual([])
    expect(await host.sh('cat /var/row')).toBe('one\n')
    expect(await ask('--deactivate', ...settings, component)).toEqual([])
    expect(await ask('--delete-state', ...settings, component)).toEqual([])
    await host.sh('[ ! -e /var/row ]')
  })

  test('tells the settings of the machine, and opens shells', async () => {
    await host.sh(`mkdir -p /etc/dysnomia/containers; echo 'hostname="a\${b}"' >/etc/dysnomia/properties`)
    await writeFile(join(user.directory, 'captured.nix'), succeeded(await client('--capture-config')).stdout)
    const script = 'nix-instantiate --eval --strict captured.nix'
    expect(succeeded(await user.run(['sh', '-c', script])).stdout).toContain('hostname = "a"')
    const shell = await client(
      '--shell',
      '--type',
      'wrapper',
      '--arguments',
      "it=isn't",
      '--command',
      'echo "$it $this_component"; exit 5',
      component,
    )
    expect([shell.status, shell.stdout]).toEqual([5, `isn't ${component}\n`])
    const typed = `printf 'echo "<$it>"; exit 4\\n' | script -qec "davit-client --target cl1 --shell -t wrapper --arguments it=is ${component}" /dev/null`
    const interactive = await user.bash(typed)
    expect([interactive.status, interactive.stdout]).toEqual([4, expect.stringContaining('<is>') as string])
    expect(await host.sh('ls -d /tmp/davit-shell.* 2>/dev/null || :')).toBe('')
  })

  test('fails with a status that tells why', async () => {
    const [, line = ''] = succeeded(
      await user.run(['sh', '-c', 'ssh-keygen -q -t ed25519 -N "" -f key && cat key.pub']),
    ).stdout.split('ssh-')
    await writeFile(join(user.directory, 'known'), `${host.address} ssh-${line}`)
    const other: RunOptions = { environment: { SSH_OPTS: `-o UserKnownHostsFile=${join(user.directory, 'known')}` } }
    const query = ['--query-all-snapshots']
    const wrong = await caller.run(['davit-client', '--target', 'cl1', ...query], other)
    expect([wrong.status, wrong.stderr]).toEqual([77, expect.stringContaining('host key') as string])
    await host.sshd('stop')
    expect((await client(...query)).status).toBe(69)
    await host.sshd('start')
    expect((await client(...query)).status).toBe(0)
    for (const words of [[], ['--activate', '--lock'], ['--activate', 'x'], ['--import', 'x'], ['--set']])
      expect([words, (await client(...words)).status]).toEqual([words, 64])
    expect(await client('--activate', '--type', 'nothing', component)).toMatchObject({ status: 1 })
    expect(await readFile(join(user.directory, 'known'), 'utf8')).toContain('ed25519')
  })
})
