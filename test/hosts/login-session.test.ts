import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf } from '../harness/models.ts'

const PREPARE = `useradd -m -p '*' -s /bin/sh anna && mkdir /home/anna/.ssh && cp /root/.ssh/authorized_keys /home/anna/.ssh/ &&
  chown -R anna /home/anna && mkdir -p /etc/systemd/logind.conf.d /etc/ssh/sshd_config.d && echo 'UsePAM yes' >/etc/ssh/sshd_config.d/pam.conf`

describe.skipIf(!HOSTS_POSSIBLE)('a login session that systemd ends', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'ku', kind: 'systemd' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set })
    await host.sh(`systemctl is-system-running --wait || :; ${PREPARE}`)
    await host.sshd('stop')
    await host.sshd('start')
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const logind = (...lines: readonly string[]) =>
    host.sh(
      'printf "%s\\n" "[Login]" "$@" >/etc/systemd/logind.conf.d/kill.conf && systemctl restart systemd-logind',
      ...lines,
    )
  const clock = (name: string) => ({
    type: 'process',
    pkg: {
      build: {
        script: `mkdir -p "$out/bin"; printf '#!/bin/sh\\nexec sleep 4711\\n# ${name}\\n' >"$out/bin/${name}"; chmod +x "$out/bin/${name}"`,
      },
    },
  })
  const modelsFor = (account: string) => ({
    services: { clock: clock('clock') },
    infrastructure: infrastructureOf([{ name: host.name, address: `${account}@${host.address}` }], {
      containers: { process: {} },
    }),
    distribution: { clock: [host.name] },
  })
  const deployAs = (account: string) => deploy(user, modelsFor(account), { options: ['-p', account] })
  const undeployAs = async (account: string) =>
    succeeded(await user.run(['davit-env', '-p', account, '--undeploy', '-i', 'infrastructure.yaml']))
  /** Units of the processes that run, a while after davit has gone. */
  const unitsThen = async () => {
    await delay(3_000)
    return (
      await host.sh('for pid in $(pgrep -fx "sleep 4711"); do sed -n "s|^0::.*/||p" "/proc/$pid/cgroup"; done')
    ).replace(/r[0-9a-f]{32}/g, 'R')
  }

  test('is named before anything is started, and left once the account lingers', async () => {
    await logind('KillUserProcesses=yes')
    const refused = await deployAs('anna')
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('[ends-at-logout]')])
    expect(refused.stderr).toContain('loginctl enable-linger anna')
    expect(await unitsThen()).toBe('')
    const doctor = await user.run(['davit-doctor', 'infrastructure.yaml'])
    expect(doctor.stdout).toContain("systemd-logind ends what 'anna' has started there when davit logs out")
    await host.sh('loginctl enable-linger anna')
    succeeded(await deployAs('anna'))
    expect(await unitsThen()).toBe('run-R.scope\n')
    expect((await user.run(['davit-query', '-p', 'anna', '--status', 'infrastructure.yaml'])).stdout).toContain('runs')
    await undeployAs('anna')
    expect(await unitsThen()).toBe('')
  })

  test('does not end what root has started, whom it spares', async () => {
    await logind('KillUserProcesses=yes')
    succeeded(await deployAs('root'))
    expect(await unitsThen()).toMatch(/^session-\d+\.scope\n$/)
    await undeployAs('root')
  })

  test('is left by root, whom it does not spare', async () => {
    await logind('KillUserProcesses=yes', 'KillExcludeUsers=nobody')
    succeeded(await deployAs('root'))
    expect(await unitsThen()).toBe('run-R.scope\n')
    await undeployAs('root')
    expect(await host.sh('systemctl list-units --all --plain --no-legend "run-r*"')).toBe('')
  })
})
