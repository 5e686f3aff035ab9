import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, type Models } from '../harness/models.ts'
import { deployAsDisnix } from '../harness/original.ts'

/** A daemon with a pid file. Its start command is where the stand-in for Disnix looks for it. */
function daemon(version: string) {
  const script = `mkdir -p "$out/bin" "$out/etc/dysnomia/process"
cat >"$out/bin/wrapper" <<'END'
#!/bin/sh
# version ${version}
[ "$1" = daemon ] || { setsid "$0" daemon </dev/null >/dev/null 2>&1 & exit; }
echo $$ >/run/web.pid.new && mv /run/web.pid.new /run/web.pid
sleep 100000 &
trap 'rm -f /run/web.pid; kill $!; exit' TERM
wait
END
chmod +x "$out/bin/wrapper"
echo "process='$out/bin/wrapper activate' pidFile=/run/web.pid" >"$out/etc/dysnomia/process/web"`
  return { type: 'process', pkg: { build: { env: { version }, script } } }
}

describe.skipIf(!NIX_POSSIBLE)('a daemon that Disnix has started', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  const models = (version: string): Models => ({
    services: { web: daemon(version) },
    infrastructure: infrastructureOf([host], { containers: { process: {} } }),
    distribution: { web: ['ap1'] },
  })
  /** The daemons that run. */
  const running = () =>
    host.sh(`for place in /proc/[0-9]*; do
      case $(tr '\\000' ' ' <$place/cmdline 2>/dev/null) in
        */bin/wrapper' 'daemon*) echo "\${place#/proc/}" ;;
      esac
    done`)

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'ap' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, language: 'Nix' })
    await deployAsDisnix(user, host, models('1'))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('is adopted, found, replaced and stopped', async () => {
    const before = await running()
    expect(before).toMatch(/^\d+\n$/)
    succeeded(await user.run(['davit-adopt', 'infrastructure.nix']))
    expect(succeeded(await user.run(['davit-query', '--status', '--deployed'])).stdout).toContain('runs')
    expect(succeeded(await deploy(user, models('1'), { options: ['--dry-run'] })).stdout).toBe('nothing to do\n')
    succeeded(await deploy(user, models('2')))
    const after = await running()
    expect(after).toMatch(/^\d+\n$/)
    expect(after).not.toBe(before)
    expect(await host.sh('cat /run/web.pid')).toBe(after)
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.nix']))
    expect(await running()).toBe('')
  })
})
