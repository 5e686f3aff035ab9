import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, type Outcome, type Started, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf } from '../harness/models.ts'
import { MISSED, MISSED_STATUS, type Reader, readersInTurn, readersOf, SHOWN } from '../harness/readers.ts'

const SAYS = `mkdir -p "$out/bin"
printf '%s\\n' '#!/bin/sh' 'echo "$DAVIT_TARGET speaks"' 'exec sleep 86393' >"$out/bin/web"
chmod +x "$out/bin/web"`

const NEVER_ANSWERS = "'sw2' has not answered for 3 s"

/** Each row: what is slow, how it becomes so, and the reason that is told; davit-capture-infrastructure has another one for some. */
const TOO_SLOW: [string, (host: Host) => Promise<unknown>, string, string?][] = [
  [
    'a line on which hardly anything passes',
    (host) => host.slow(1_000),
    // Depending on what else is on its way, not even a connection is made.
    "cannot reach 'sw2': no (ssh handshake|answer) within \\d s( \\(.* port 22\\))?",
  ],
  [
    'an sshd that was stopped',
    (host) => host.sh('kill -STOP "$(cat /run/sshd.pid)"'),
    "cannot reach 'sw2': no ssh handshake within \\d s",
  ],
  [
    'a login shell that never begins',
    (host) => speaks(host, 'exec sleep 86394'),
    "'sw2' started no shell within 30 s",
    "'sw2' did not tell what it is within 3 seconds",
  ],
  [
    'a shell that hangs after its first words',
    (host) => speaks(host, '"$@" | { sed -u 12q; exec sleep 86394; }'),
    NEVER_ANSWERS,
    "'sw2' did not tell what it is within 3 seconds",
  ],
]

/** Lets the sshd of a host run a filter around what is asked for; without one, it does as before. */
async function speaks(host: Host, filter?: string): Promise<void> {
  if (filter === undefined) await host.sh('rm -f /etc/ssh/sshd_config.d/slow.conf')
  else
    await host.sh(
      `printf %s "$1" >/usr/local/bin/slow && chmod 755 /usr/local/bin/slow
       mkdir -p /etc/ssh/sshd_config.d && echo 'ForceCommand /usr/local/bin/slow' >/etc/ssh/sshd_config.d/slow.conf`,
      `#!/bin/sh\nset -- sh -c "$SSH_ORIGINAL_COMMAND"\n${filter}\n`,
    )
  await host.sshd('stop')
  await host.sshd('start')
}

describe.skipIf(!HOSTS_POSSIBLE)('while a host is slow', () => {
  let set: TestHosts
  let user: Coordinator
  let [, slow]: Host[] = []
  let following: Started | undefined
  let impatient = ''

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'sw' })
    ;[, slow] = set.hosts
    user = await coordinator({ hosts: set })
    const models = {
      services: { web: { type: 'process', pkg: { build: { script: SAYS } } } },
      infrastructure: infrastructureOf(
        set.hosts.map(({ name }) => ({ name, address: name })),
        { containers: { process: {} } },
      ),
      distribution: { web: ['sw1', 'sw2'] },
    }
    succeeded(await deploy(user, models))
    const { stdout } = succeeded(await user.run(['davit-generations', '--print', '1']))
    await user.write('manifest.xml', stdout)
    impatient = await user.write('ssh_config', `ConnectTimeout 5\nInclude ${set.directory}/ssh_config\n`)
  })
  afterEach(async () => {
    following?.process.kill('SIGKILL')
    await slow!.befall('quick')
    await slow!.sh('pkill -CONT -x sshd; pkill -f "sleep 8639[4]"; :')
    await speaks(slow!)
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** All readers at a time, so that what they wait for is waited for once. */
  const read = async (readers: ReturnType<typeof readersOf>, environment: Readonly<Record<string, string>> = {}) => {
    const outcomes = await Promise.all(
      readers.map(async ([reader, command]) => [reader, await user.run(command, { environment })] as const),
    )
    for (const [, { stdout, stderr }] of outcomes) {
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
      expect(stderr).not.toMatch(/internal error|^ +at /m)
    }
    return outcomes
  }
  const statusOf = (outcomes: readonly (readonly [Reader, Outcome])[]) =>
    Object.fromEntries(outcomes.map(([reader, { status }]) => [reader, status]))

  const hosts = ['sw1', 'sw2']

  test.each<[string, (host: Host) => Promise<unknown>]>([
    ['a line of 64 kbit/s', (host) => host.slow(64_000)],
    [
      'a shell that answers late',
      (host) => speaks(host, '"$@" | while IFS= read -r line; do sleep 0.3; printf "%s\\n" "$line"; done'),
    ],
  ])('tools that read show everything over %s', async (_, becomeSlow) => {
    await becomeSlow(slow!)
    const outcomes = await read(readersOf(hosts))
    for (const [reader, { stdout }] of outcomes)
      for (const host of hosts) expect([reader, stdout]).toEqual([reader, expect.stringMatching(SHOWN[reader](host))])
    // What davit-doctor finds otherwise is no matter of slowness.
    expect({ ...statusOf(outcomes), doctor: 0 }).toEqual(Object.fromEntries(outcomes.map(([reader]) => [reader, 0])))
  })

  test.each(
    sampleOf(
      TOO_SLOW.map((row, scene) => [row[0], scene, row] as const),
      2,
    ),
  )(
    'with %s, tools that read name it with the reason, and show the other one',
    async (_, scene, [, becomeSlow, reason, ofCapture = reason]) => {
      await becomeSlow(slow!)
      const impatience = { DAVIT_ANSWER_TIMEOUT: '3', DAVIT_SSH_CONFIG: impatient }
      const outcomes = await read(readersInTurn(scene, hosts), impatience)
      for (const [reader, { status }] of outcomes) expect([reader, status]).toEqual([reader, MISSED_STATUS[reader]])
      for (const [reader, { stdout, stderr }] of outcomes) {
        const missed = MISSED[reader]('sw2', reader === 'capture' ? ofCapture : reason)
        expect([reader, reader === 'doctor' ? stdout : stderr]).toEqual([reader, expect.stringMatching(missed)])
        const shown = hosts.map((host) => SHOWN[reader](host).test(stdout))
        // A plan of a part would be another plan.
        expect([reader, shown]).toEqual([reader, [reader !== 'plan', false]])
      }
    },
  )

  test('davit-logs -f shows the lines of the others before it knows about one that starts no shell', async () => {
    await speaks(slow!, 'exec sleep 86394')
    const tool = user.start(['davit-logs', 'web', '-f'])
    following = tool
    await eventually('the lines of the other host', () => expect(tool.stdout()).toContain('| sw1 speaks\n'))
    expect(tool.stderr()).toBe('')
    await eventually('that one does not answer', () =>
      expect(tool.stderr()).toMatch(/^\[sw2\] warning: .* it does not answer; trying again/m),
    )
    tool.process.kill('SIGINT')
    expect((await tool.outcome).status).toBe(130)
  })
})
