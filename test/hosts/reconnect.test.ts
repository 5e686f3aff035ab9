import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type Started, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { infrastructureOf, makeManifest, type Models } from '../harness/models.ts'
import { activeOn } from '../harness/records.ts'
import { heldBack, takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

const LOST = /^warning: lost the connection to '\S+': retrying for \d+ s$/m
const AGAIN = /^reconnected to '\S+'$/m

describe.skipIf(!HOSTS_POSSIBLE)('a host whose sshd is restarted', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let two: Host
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 're' })
    hosts = set.hosts
    two = hosts[1]!
    user = await coordinator({ hosts: set })
  })
  afterEach(() => two.sshd('start'))
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (web: WrapperOptions): Models => ({
    services: {
      database: wrapper(),
      web: wrapper({ env: { database: '${database.name}' }, ...web }, { dependsOn: ['database'] }),
    },
    infrastructure: infrastructureOf(hosts, { containers: { wrapper: {} } }),
    distribution: { database: ['re1'], web: ['re2'] },
  })
  /** Restarts sshd. It is away until the tool says that it tries again. */
  const restartDuring = async (tool: Started) => {
    await two.sshd('stop')
    await eventually('that it tries again', () => expect(tool.stderr()).toMatch(LOST))
    await two.sshd('start')
  }

  test('during an activation, which then ends well', async () => {
    await makeManifest(user, models({ body: heldBack('link') }))
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    const tool = user.start(['davit-activate', 'manifest.json'])
    await eventually('the activity', async () =>
      expect(await two.sh('cat /tmp/link.begun 2>/dev/null || :')).not.toBe(''),
    )
    await restartDuring(tool)
    await two.sh('touch /tmp/link.go')
    expect(succeeded(await tool.outcome).stderr).toMatch(AGAIN)
    expect(await two.sh('wc -l </tmp/link.begun')).toBe('1\n')
    expect(await activeOn(hosts)).toEqual(['re1 wrapper database', 're2 wrapper web'])
    succeeded(await user.run(['davit-set', 'manifest.json']))
  })

  test('while the lock is held and renewed, and before the next activity begins', async () => {
    const held =
      'if [ "$1" = deactivate ]; then echo >/tmp/stops.begun; until [ -e /tmp/stops.go ]; do sleep 0.1; done; fi'
    await makeManifest(user, models({ version: '2', body: held }))
    for (const tool of ['distribute', 'activate', 'set']) {
      // oxlint-disable-next-line no-await-in-loop
      succeeded(await user.run([`davit-${tool}`, 'manifest.json']))
    }
    await takeJournal(hosts)
    await makeManifest(user, models({ version: '3' }))
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    const tool = user.start(['davit-activate', '--lock-lease', '3', 'manifest.json'])
    await eventually('the activity', async () =>
      expect(await two.sh('cat /tmp/stops.begun 2>/dev/null || :')).not.toBe(''),
    )
    await two.sshd('stop')
    await two.sh('touch /tmp/stops.go')
    await eventually('that it tries again', () => expect(tool.stderr()).toMatch(LOST))
    await two.sshd('start')
    succeeded(await tool.outcome)
    expect(await takeJournal(hosts)).toEqual(['deactivate web 2 wrapper', 'activate web 3 wrapper'])
    succeeded(await user.run(['davit-set', 'manifest.json']))
  })

  test('during distribution, which sends again what did not arrive', async () => {
    const large = 'dd if=/dev/urandom of=filler bs=1M count=50 2>/dev/null; mkdir -p $out; mv filler $out'
    await makeManifest(user, models({ version: '4', build: large }))
    const tool = user.start(['davit-distribute', 'manifest.json'])
    // The transfer stays under way until its sshd is killed.
    await two.sh(
      `until ls -d "$1"/.davit/incoming/transfer.*/paths >/dev/null 2>&1; do :; done
      for directory in /proc/[0-9]*; do
        case $(cat "$directory/comm" 2>/dev/null) in sshd | sshd-session) kill -STOP "\${directory#/proc/}" ;; esac
      done`,
      user.storeDirectory,
    )
    await restartDuring(tool)
    const { stderr } = succeeded(await tool.outcome)
    expect(stderr).toMatch(
      /^\[re2\] send packages \(all are there\): done|^\[re2\] send \d+ packages? \(\d+ MB\): done/m,
    )
  })

  test('but one that is away from the beginning is reported immediately', async () => {
    await makeManifest(user, models({ version: '4' }))
    await two.sshd('stop')
    const { status, stderr } = await user.run(['davit-activate', 'manifest.json'])
    expect([status, stderr]).toEqual([69, expect.stringContaining("cannot reach 're2'")])
    expect(stderr).not.toMatch(LOST)
  })

  test('and a signal ends the waiting for it', async () => {
    await makeManifest(user, models({ version: '5', body: heldBack('stopped') }))
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    const tool = user.start(['davit-activate', 'manifest.json'], { environment: { DAVIT_ANSWER_TIMEOUT: '999999' } })
    await eventually('the activity', async () =>
      expect(await two.sh('cat /tmp/stopped.begun 2>/dev/null || :')).not.toBe(''),
    )
    await two.sshd('stop')
    await eventually('that it tries again', () => expect(tool.stderr()).toMatch(LOST))
    tool.process.kill('SIGINT')
    expect((await tool.outcome).status).not.toBe(0)
    await two.sh('touch /tmp/stopped.go')
  })
})
