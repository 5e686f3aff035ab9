import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, type Models } from '../harness/models.ts'
import { forgetDeployments } from '../harness/records.ts'
import { wrapper } from '../harness/services.ts'
import { KEEP_DIRECTORY, rowsOn, type TargetName, targetsOn, writeRow } from '../harness/three-targets.ts'

const DIRECT = ['--direct']

describe.skipIf(!HOSTS_POSSIBLE)('state that travels directly', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator
  let agent: { readonly SSH_AUTH_SOCK: string }
  let stopAgent: () => void = () => {}

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'dir' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
    agent = { SSH_AUTH_SOCK: join(user.directory, 'agent') }
    const program = spawn('ssh-agent', ['-D', '-a', agent.SSH_AUTH_SOCK], { stdio: ['ignore', 'pipe', 'ignore'] })
    stopAgent = () => program.kill()
    await once(program.stdout, 'data')
    succeeded(await user.run(['ssh-add', '-q', join(set.directory, 'id_ed25519')], { environment: agent }))
  })
  afterAll(async () => {
    stopAgent()
    await set?.down()
    await user?.remove()
  })
  afterEach(async () => {
    await forgetDeployments(hosts, user)
    await Promise.all(hosts.map((host) => host.sh('rm -rf /var/lib/ledger')))
  })

  const models = (ledger: TargetName): Models => ({
    services: { ledger: wrapper({ body: KEEP_DIRECTORY }, { deployState: true }) },
    infrastructure: targetsOn(set, ledger === 'three' ? ['two', 'three'] : ['one', 'two']),
    distribution: { ledger: [ledger] },
  })
  const kept = () => join(user.stateDirectory, 'coordinator/default/snapshots')
  const rows = (host: number) => rowsOn(hosts[host]!)
  const begin = async (row: string) => {
    succeeded(await deploy(user, models('one')))
    await writeRow(hosts[0]!, row)
  }
  const move = async (environment: Readonly<Record<string, string>> = agent) =>
    succeeded(await deploy(user, models('two'), { options: DIRECT, environment }))

  test('goes from target to target, and neither a key nor a helper stays on the way', async () => {
    await begin('first')
    const files = () => hosts[0]!.sh('find /root /tmp /var/tmp -newer /tmp/before -type f ! -path /tmp/journal')
    await hosts[0]!.sh('touch /tmp/before')
    const moved = await move()
    expect(moved.stderr).not.toContain('directly')
    expect(await rows(1)).toBe('first\n')
    expect(existsSync(kept())).toBe(false)
    expect(await files()).toBe('')
    expect(await hosts[0]!.sh('ps -e -o args= | grep -c "[s]sh -F none" || :')).toBe('0\n')
  })

  test('goes through the coordinator where one target cannot reach the other, which is said', async () => {
    await begin('detour')
    await hosts[0]!.sh(`ip route add unreachable ${hosts[1]!.address}`)
    const moved = await move()
    await hosts[0]!.sh(`ip route del unreachable ${hosts[1]!.address}`)
    expect(moved.stderr).toMatch(
      /cannot send the state of '.*' directly to '.*', so it travels .*: .*(?:No route|unreach)/i,
    )
    expect(await rows(1)).toBe('detour\n')
    expect(existsSync(kept())).toBe(true)
  })

  test('never goes to a machine with another host key', async () => {
    await begin('secret')
    await hosts[0]!.sh(`ip addr add ${hosts[1]!.address}/32 dev lo`)
    const moved = await move()
    await hosts[0]!.sh(`ip addr del ${hosts[1]!.address}/32 dev lo`)
    expect(moved.stderr).toContain('Host key verification failed')
    expect(await hosts[0]!.sh('ls /var/lib/davit/targets')).toBe('one\n')
    expect(await rows(1)).toBe('secret\n')
  })

  test('goes through the coordinator without an agent, or where none may be forwarded', async () => {
    await begin('alone')
    expect((await move({})).stderr).toContain('there is no ssh agent to forward')
    expect(await rows(1)).toBe('alone\n')
    const conf = '/etc/ssh/sshd_config.d/direct.conf'
    await hosts[1]!.sh(`echo 'AllowAgentForwarding no' >${conf}`)
    await hosts[1]!.sshd('stop')
    await hosts[1]!.sshd('start')
    const back = succeeded(await deploy(user, models('three'), { options: DIRECT, environment: agent }))
    expect(back.stderr).toContain('no agent was forwarded')
    expect(await rows(2)).toBe('alone\n')
    await hosts[1]!.sh(`rm ${conf}`)
    await hosts[1]!.sshd('stop')
    await hosts[1]!.sshd('start')
  })

  test('moves by hand with davit-migrate', async () => {
    await begin('by hand')
    const generation = (await user.generations()).at(-1)
    const before = succeeded(await user.run(['davit-generations', '--print', String(generation)])).stdout
    await user.write('old.json', before)
    succeeded(await deploy(user, models('two'), { options: ['--no-migration'] }))
    const migrate = ['davit-migrate', '-o', 'old.json', '--direct']
    const dry = succeeded(await user.run([...migrate, '--dry-run'], { environment: agent }))
    expect(dry.stdout).toContain(
      'send the snapshot of ledger in wrapper from one to two (directly if that is possible)\n',
    )
    succeeded(await user.run(migrate, { environment: agent }))
    expect(await rows(1)).toBe('by hand\n')
    expect(existsSync(kept())).toBe(false)
  })
})
