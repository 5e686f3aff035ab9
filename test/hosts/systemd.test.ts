import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { chosen, isThorough, sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { ManagedComponent } from '../harness/managed-component.ts'
import { deploy, infrastructureOf, writeModels } from '../harness/models.ts'
import { activeOn } from '../harness/records.ts'
import { heldBack, takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

const LOOP = '[Service]\nExecStart=/bin/sleep 100000\n'
/** Appends a word to a journal when it starts and when it stops. */
const journaled = (word: string, unit = '') => `[Unit]
${unit}
[Service]
ExecStartPre=/bin/sh -c 'echo +${word} >>/tmp/journal'
ExecStart=/bin/sleep 100000
ExecStopPost=/bin/sh -c 'echo -${word} >>/tmp/journal'
`

/** What is wrong with units, those units, and what is said of them. */
const BROKEN: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['cannot be started', { 'davit-t1.service': '[Service]\nExecStart=/nowhere\n' }, /203\/EXEC/],
  ['end at once', { 'davit-t1.service': "[Service]\nExecStart=/bin/sh -c 'echo no port; exit 7'\n" }, /no port[^]*/],
  [
    'are restarted again and again',
    { 'davit-t1.service': '[Service]\nExecStart=/bin/sleep 0.2\nRestart=always\nRestartSec=0\n' },
    /davit-t1/,
  ],
  ['are wrong', { 'davit-t1.service': '[Service]\nNothing=1\n' }, /lacks ExecStart|bad-setting/],
  ['are kept from it', { 'davit-t1.service': `[Unit]\nConditionPathExists=/nowhere\n${LOOP}` }, /davit-t1/],
]

describe.skipIf(!HOSTS_POSSIBLE)('units of systemd', () => {
  let set: TestHosts
  let host: Host

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'sd', kind: 'systemd' })
    host = set.hosts[0]!
    await host.sh('systemctl is-system-running --wait')
    before = await state()
  })
  afterAll(() => set?.down())
  afterEach(async () => {
    await host.sh('rm -f /tmp/journal')
  })

  let before: string
  /** What a component may leave behind. */
  const state = () =>
    host.sh(`find /etc/systemd/system /root/.config/systemd 2>/dev/null | sort; systemctl --failed --plain --no-legend
      find /srv/state -type f ! -name '*.lock' 2>/dev/null; cut -d: -f1 /etc/passwd /etc/group
      systemctl list-units --all --plain --no-legend 'davit-t*' | cut -d' ' -f1`)
  const isActive = async (unit: string) => (await host.sh('systemctl is-active "$1" || :', unit)).trim()
  const component = (
    units: Readonly<Record<string, string>>,
    options: { readonly name?: string; readonly properties?: Readonly<Record<string, string>> } = {},
  ) =>
    ManagedComponent.on(host, {
      name: 'units',
      module: 'systemd-unit',
      files: Object.fromEntries(
        Object.entries(units).map(([path, text]) => [path.includes('/') ? path : `etc/systemd/system/${path}`, text]),
      ),
      ...options,
    })

  test('are started, kept and repaired, and stopped', async () => {
    const units = await component({ 'davit-t1.service': LOOP })
    expect((await units.call('status')).status).toBe(3)
    await units.succeed('activate')
    const first = await host.sh('systemctl show -p MainPID davit-t1')
    await units.succeed('activate', 'status')
    expect(await host.sh('systemctl show -p MainPID davit-t1')).toBe(first)
    await host.sh('systemctl stop davit-t1; rm /etc/systemd/system/multi-user.target.wants/davit-t1.service')
    expect(await units.call('status')).toMatchObject({ status: 1 })
    await units.succeed('activate', 'status')
    expect(await host.sh('ls /etc/systemd/system/multi-user.target.wants')).toContain('davit-t1.service')
    await units.succeed('deactivate', 'deactivate')
    expect(await isActive('davit-t1')).toBe('inactive')
    expect(await state()).toBe(before)
  })

  test('are started after those that they are ordered after, whatever their names, and stopped before them', async () => {
    const units = await component({
      'davit-ta.service': journaled('a', 'After=davit-tb.service'),
      'davit-tb.service': journaled('b', 'After=davit-tc.service'),
      'davit-tc.service': journaled('c', 'Before=davit-tb.service'),
    })
    await units.succeed('activate')
    expect(await host.sh('cat /tmp/journal')).toBe('+c\n+b\n+a\n')
    await units.succeed('deactivate')
    expect(await host.sh('cat /tmp/journal')).toBe('+c\n+b\n+a\n-a\n-b\n-c\n')
  })

  test('are asked for in their order, after systemd has read its files once', async () => {
    const units = await component({
      'davit-t1.service': `[Unit]\nAfter=davit-t2.service\n${LOOP}`,
      'davit-t2.service': LOOP,
      'davit-t3.socket': '[Socket]\nListenStream=127.0.0.1:5123\n',
      'davit-t3.service': LOOP,
    })
    const log = '#!/bin/sh\necho "$*" | sed "s/^\\(--[a-z-]* \\)*//" >>/tmp/calls\nexec /bin/systemctl "$@"\n'
    await units.write('/srv/shims/systemctl', log)
    const calls = async (activity: string) => {
      expect(await units.call(activity, ['PATH=/srv/shims:/usr/bin:/bin'])).toMatchObject({ status: 0 })
      const lines = (await host.sh('cat /tmp/calls; rm /tmp/calls')).split('\n')
      return lines.filter((line) => /^(daemon-reload|start|stop)/.test(line))
    }
    expect(await calls('activate')).toEqual([
      'daemon-reload',
      'start -- davit-t2.service davit-t1.service davit-t3.socket',
    ])
    expect(await calls('deactivate')).toEqual([
      'stop -- davit-t3.socket',
      'stop -- davit-t3.service davit-t3.socket davit-t1.service davit-t2.service',
      'daemon-reload',
    ])
  })

  test('are started by their sockets', async () => {
    const units = await component({
      'davit-t1.socket': '[Socket]\nListenStream=127.0.0.1:5123\nAccept=no\n',
      'davit-t1.service': '[Service]\nExecStart=/bin/sleep 100000\n',
      'davit-t2.socket': '[Socket]\nListenStream=127.0.0.1:5124\nService=davit-tother.service\n',
      'davit-tother.service': LOOP,
    })
    await units.succeed('activate', 'activate', 'status')
    expect([await isActive('davit-t1'), await isActive('davit-tother')]).toEqual(['inactive', 'inactive'])
    await host.sh("bash -c 'exec 3<>/dev/tcp/127.0.0.1/5123'")
    await eventually('the start', async () => expect(await isActive('davit-t1')).toBe('active'))
    await units.succeed('status', 'deactivate', 'deactivate')
    expect(await host.sh("bash -c 'exec 3<>/dev/tcp/127.0.0.1/5123' 2>/dev/null || echo closed")).toBe('closed\n')
    expect(await state()).toBe(before)
  })

  test('are started by their timers', async () => {
    const units = await component({
      'davit-t1.timer': '[Timer]\nOnActiveSec=1s\nAccuracySec=1ms\n',
      'davit-t1.service': "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo tick >>/tmp/journal'\n",
    })
    await units.succeed('activate', 'status')
    expect(await isActive('davit-t1.timer')).toBe('active')
    await eventually('a tick', async () => expect(await host.sh('cat /tmp/journal 2>/dev/null || :')).toBe('tick\n'))
    await units.succeed('status', 'deactivate')
    expect(await state()).toBe(before)
  })

  test('may do something once, come from templates, and have odd names', async () => {
    const units = await component({
      'davit-tonce.service': "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo once >>/tmp/journal'\n",
      'davit-t\\x2du.service': LOOP,
      'davit-tmany@.service': LOOP,
      'davit-twith.service': '[Unit]\nRequires=davit-tmany@1.service\n' + LOOP,
      'davit-tnone.slice': '[Unit]\n',
    })
    await host.sh('cd "$1/etc/systemd/system" && ln -s davit-tmany@.service davit-tmany@2.service', units.directory)
    await units.succeed('activate', 'status', 'activate')
    expect(await host.sh('cat /tmp/journal')).toBe('once\n')
    const running = ['davit-t\\x2du', 'davit-tmany@1', 'davit-tmany@2', 'davit-twith']
    expect(await Promise.all(running.map(isActive))).toEqual(running.map(() => 'active'))
    await units.succeed('deactivate')
    expect(await state()).toBe(before)
  })

  test.each(sampleOf(BROKEN, 2))(
    'leave nothing if some of them %s, although others run',
    async (_, broken, message) => {
      const units = await component({ 'davit-t2.service': LOOP, ...broken, 'dysnomia-support/users/davit-tuser': '' })
      const { status, output } = await units.call('activate')
      expect([status, output]).toEqual([1, expect.stringMatching(message)])
      expect(output).toContain('nothing of it is left')
      expect(await state()).toBe(before)
      await units.succeed('deactivate')
    },
  )

  test('leave nothing if they take too long', async () => {
    const slow = await component(
      { 'davit-t1.service': '[Service]\nType=oneshot\nExecStart=/bin/sleep 1000\n' },
      { properties: { timeout: '1' } },
    )
    const { status, output } = await slow.call('activate')
    expect([status, output]).toEqual([1, expect.stringContaining('systemd was not done after 1 s')])
    expect(await state()).toBe(before)
  })

  test('run as the users that they bring', async () => {
    const units = await component({
      'davit-t1.service': '[Service]\nUser=davit-tuser\nGroup=davit-tgroup\nExecStart=/bin/sleep 100000\n',
      'dysnomia-support/users/davit-tuser': 'group=davit-tgroup\nhomeDir=/var/lib/davit-tuser\ncreateHomeDir=1\n',
      'dysnomia-support/groups/davit-tgroup': '',
    })
    await units.succeed('activate', 'activate')
    expect(await host.sh('ps -o user:20=,group:20= -p "$(systemctl show -p MainPID --value davit-t1)"')).toMatch(
      /^davit-tuser +davit-tgroup/,
    )
    await units.succeed('deactivate', 'deactivate')
    expect(await state()).toBe(before)
    expect(await host.sh('rmdir /var/lib/davit-tuser && echo kept')).toBe('kept\n')
  })

  test('of others stay as they are', async () => {
    const shipped = await component({ 'dbus.service': LOOP })
    const first = await shipped.call('activate')
    expect([first.status, first.output]).toEqual([1, expect.stringMatching(/unit of the same name.*dbus.service/)])
    await shipped.succeed('deactivate')
    expect(await isActive('dbus')).toBe('active')
    await host.sh('printf "[Service]\nExecStart=/bin/sleep 99999\n" >/etc/systemd/system/davit-t1.service')
    const taken = await component({ 'davit-t1.service': LOOP })
    const second = await taken.call('activate')
    expect([second.status, second.output]).toEqual([
      1,
      expect.stringMatching(/davit-t1.service' exists, and is not a link/),
    ])
    await taken.succeed('deactivate')
    await host.sh('rm /etc/systemd/system/davit-t1.service && systemctl daemon-reload')
    expect(await state()).toBe(before)
  })

  test.each([
    ['no units', {}, {}, 'no unit'],
    ['a strange name', { 'davit t1.service': LOOP }, {}, "'davit t1.service' is not the name of a unit"],
    [
      'a directory that systemd does not know',
      { 'davit-t1.service': LOOP },
      { systemdTargetDir: '/srv' },
      "does not look for units in '/srv'",
    ],
    ['a strange target', { 'davit-t1.service': LOOP }, { systemdRootTarget: '../x' }, "'../x' is not the name"],
  ])('are refused with %s', async (_, files, properties, message) => {
    const units = await component(files, { properties })
    expect(await units.call('activate')).toEqual({ status: 1, output: expect.stringContaining(message) })
    expect(await state()).toBe(before)
  })

  test.each(['activate', 'deactivate'])('survive being killed at any step of %s', async (activity) => {
    const units = await component({
      'davit-t1.service': LOOP,
      'davit-t2.service': LOOP,
      'dysnomia-support/users/davit-tuser': '',
    })
    const shim = `#!/bin/sh
printf . >>/tmp/steps
[ "$(wc -c </tmp/steps)" != "$STEP" ] || kill -KILL 0
exec "/usr/bin/env" PATH=/usr/sbin:/usr/bin:/sbin:/bin "\${0##*/}" "$@"
`
    for (const name of ['systemctl', 'ln', 'rm', 'mkdir', 'useradd']) await units.write(`/srv/shims/${name}`, shim)
    const stride = isThorough ? 1 : 10
    for (let step = 1 + chosen(stride, 'points of systemd'), done = false; !done; step += stride) {
      if (activity === 'deactivate') await units.succeed('activate')
      await host.sh('rm -f /tmp/steps')
      const words = [`STEP=${step}`, 'PATH=/srv/shims:/usr/bin:/bin', 'setsid', '-w']
      done = (await units.call(activity, words)).status === 0
      if (step % 2 === 0) await units.succeed('activate', 'status')
      await units.succeed('deactivate')
      expect(await state()).toBe(before)
    }
  })

  test('may belong to a user', async () => {
    await host.sh('useradd -m davit-user && loginctl enable-linger davit-user')
    await eventually('the systemd of the user', () =>
      host.sh('test -S /run/user/$(id -u davit-user)/systemd/private && echo 1 || :').then(Boolean),
    )
    const units = await component(
      { 'davit-t1.service': LOOP },
      {
        properties: { systemdUserServices: '1', DYSNOMIA_STATEDIR: '/home/davit-user/state', HOME: '/home/davit-user' },
      },
    )
    const words = ['setpriv', '--reuid', 'davit-user', '--regid', 'davit-user', '--init-groups']
    const call = async (activity: string) => {
      expect(await units.call(activity, words)).toMatchObject({ status: 0 })
    }
    for (const activity of ['activate', 'activate', 'status']) await call(activity)
    const files = () => host.sh('cd /home/davit-user/.config/systemd/user && find . ! -type d | sort')
    expect(await files()).toBe('./davit-t1.service\n./default.target.wants/davit-t1.service\n')
    expect(await host.sh('ps -o user:20= -C sleep')).toContain('davit-user')
    for (const activity of ['deactivate', 'deactivate']) await call(activity)
    expect(await files()).toBe('')
    await host.sh(
      'loginctl disable-linger davit-user; systemctl stop "user@$(id -u davit-user)"; userdel -r davit-user 2>&1',
    )
  })

  test('of the example are deployed, run again after a restart of the host, and are undeployed', async () => {
    const page = await readFile(new URL('../../docs/modules/systemd-unit.md', import.meta.url), 'utf8')
    const [, script = ''] = /^## Example$[^]*?^```sh\n([^]*?)^```$/m.exec(page) ?? []
    const user = await coordinator({ hosts: set })
    // What is in /tmp is gone after the restart.
    const store = await mkdtemp('/var/tmp/davit-test-')
    const environment = { DAVIT_STORE_DIR: store }
    try {
      const containers = { 'systemd-unit': {} }
      const clock = { type: 'systemd-unit', pkg: { build: { script: `cd "$TMPDIR"\n${script}\ncp -R clock "$out"` } } }
      const models = {
        services: { clock },
        infrastructure: infrastructureOf([host], { containers }),
        distribution: { clock: ['sd1'] },
      }
      succeeded(await deploy(user, models, { environment }))
      expect(await isActive('clock')).toBe('active')
      await host.befall('reboot')
      await host.sh('systemctl is-system-running --wait')
      expect(await isActive('clock')).toBe('active')
      expect(succeeded(await deploy(user, models, { environment })).stderr).toContain('nothing to do')
      succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.yaml'], { environment }))
      expect(await isActive('clock')).toBe('inactive')
    } finally {
      await user.remove()
      await rm(store, { recursive: true, force: true })
    }
  })

  test('start what was active before a deployment that was not confirmed when its host restarted', async () => {
    const user = await coordinator({ hosts: set })
    const environment = { DAVIT_STORE_DIR: await mkdtemp('/var/tmp/davit-test-') }
    const models = (options: WrapperOptions) => ({
      services: { web: wrapper(options) },
      infrastructure: infrastructureOf([host], { containers: { wrapper: {} } }),
      distribution: { web: ['sd1'] },
    })
    const units = () => host.sh('find /etc/systemd/system -name "davit-trial-*" -printf "%f\n"')
    try {
      succeeded(await deploy(user, models({ version: '1' }), { environment }))
      const words = await writeModels(user, models({ version: '2', body: heldBack('off') }))
      const tool = user.start(['davit-env', ...words, '--confirm', '600'], { environment })
      await eventually('its beginning', async () =>
        expect(await host.sh('ls /tmp/off.begun 2>/dev/null || :')).not.toBe(''),
      )
      expect((await units()).split('\n')).toHaveLength(3)
      process.kill(-tool.process.pid!, 'SIGKILL')
      const { stderr } = await tool.outcome
      expect(stderr).not.toContain('only once davit connects to it again')
      await host.sh('rm -f /tmp/journal; touch /tmp/off.go')
      await host.befall('reboot')
      const isBack = () => host.sh('ls -d /var/lib/davit/targets/*/trials/default 2>/dev/null || echo back')
      await eventually('the way back', async () => expect(await isBack()).toBe('back\n'))
      expect(await activeOn([host])).toEqual(['sd1 wrapper web'])
      const journal = (await takeJournal([host])).map((line) => line.replace(/^\d+ /, ''))
      expect(journal.at(-1)).toBe('activate web 1 wrapper')
      expect(await units()).toBe('')
      await host.sh('systemctl is-system-running --wait')
      succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.yaml'], { environment }))
    } finally {
      await user.remove()
      await rm(environment.DAVIT_STORE_DIR, { recursive: true, force: true })
    }
  })
})
