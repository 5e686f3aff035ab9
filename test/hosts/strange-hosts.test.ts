import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, type Started, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf } from '../harness/models.ts'
import { MISSED_STATUS, readersInTurn, SHOWN } from '../harness/readers.ts'

const SAYS = `mkdir -p "$out/bin"
printf '%s\\n' '#!/bin/sh' 'echo "$DAVIT_TARGET speaks"' 'exec sleep 86391' >"$out/bin/web"
chmod +x "$out/bin/web"`

/** What a host makes of the answers that it gives over ssh; its sshd runs this instead of what was asked for. */
const STRANGE: Readonly<Record<string, string>> = {
  'hangs after its first words': '"$@" | { sed -u 12q; exec sleep 86392; }',
  'ends after its first words': '"$@" | sed -u 12q',
  'lies in each answer': `"$@" | sed -u 's/^\\([0-9]* +\\) .*/\\1 nonsense 7 ../'`,
  'refuses with control characters': `"$@" | { sed -u 12q; while :; do printf '%s ! failed 1b5b324a\\n' 2 3 4 5 6 7 8 9; sleep 1; done; }`,
  'goes on to say what answers nothing': '"$@" | { sed -u 12q; while :; do echo 999999 + or so; sleep 1; done; }',
}

/** Such a host keeps a processor busy until it is left to itself. */
const ENDLESS: Readonly<Record<string, string>> = {
  'floods from the beginning': `exec yes "$(printf '\\033[2Jflood')"`,
  'floods after its first words': `"$@" | { sed -u 12q; exec yes "1 + $(printf '\\033[2Jflood')"; }`,
  'has a line without end': `"$@" | { sed -u 12q; exec tr '\\0' x </dev/zero; }`,
}

/** Such a host has half a minute to start a shell. */
const WITHOUT_SHELL: Readonly<Record<string, string>> = {
  'never begins': 'exec sleep 86392',
  'sends control characters': `"$@" | sed -u "s/$/$(printf '\\033[31m')/"`,
}

describe.skipIf(!HOSTS_POSSIBLE)('while a host is strange', () => {
  let set: TestHosts
  let user: Coordinator
  let [, strange]: Host[] = []
  let following: Started | undefined

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'st' })
    ;[, strange] = set.hosts
    user = await coordinator({ hosts: set })
    const containers = { process: {} }
    const models = {
      services: { web: { type: 'process', pkg: { build: { script: SAYS } } } },
      infrastructure: infrastructureOf(
        set.hosts.map(({ name }) => ({ name, address: name })),
        { containers },
      ),
      distribution: { web: ['st1', 'st2'] },
    }
    succeeded(await deploy(user, models))
    await user.write('manifest.xml', succeeded(await user.run(['davit-generations', '--print', '1'])).stdout)
  })
  afterEach(async () => {
    following?.process.kill('SIGKILL')
    await strange!.sh('pkill -x yes; pkill -f "sleep 8639[2]"; rm -f /etc/ssh/sshd_config.d/strange.conf')
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const environment = { DAVIT_ANSWER_TIMEOUT: '3' }
  const becomes = async (filter: string) => {
    const script = `#!/bin/sh\nset -- sh -c "$SSH_ORIGINAL_COMMAND"\n${filter}\n`
    await strange!.sh(
      `printf %s "$1" >/usr/local/bin/strange && chmod 755 /usr/local/bin/strange
       mkdir -p /etc/ssh/sshd_config.d && echo 'ForceCommand /usr/local/bin/strange' >/etc/ssh/sshd_config.d/strange.conf`,
      script,
    )
    await strange!.sshd('stop')
    await strange!.sshd('start')
  }
  /** Each reader ends by itself, shows what the other host has, and names the strange one, but no control character. */
  const allNamed = async (scene: number) => {
    const outcomes = await Promise.all(
      readersInTurn(scene, ['st1', 'st2']).map(
        async ([reader, command]) => [reader, await user.run(command, { environment })] as const,
      ),
    )
    for (const [reader, { status, stdout, stderr }] of outcomes) {
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
      expect(stderr).not.toMatch(/internal error|^ +at /m)
      // davit-capture-infrastructure asks in another way, which some do not notice.
      const isKnown = reader === 'capture' && SHOWN.capture('st2').test(stdout)
      const named = isKnown || (reader === 'doctor' ? stdout : stderr).includes('st2')
      const shown = SHOWN[reader]('st1').test(stdout)
      expect([reader, status, shown, named]).toEqual([
        reader,
        isKnown ? 0 : MISSED_STATUS[reader],
        reader !== 'plan',
        true,
      ])
    }
  }

  const scenesOf = (table: Readonly<Record<string, string>>) =>
    Object.entries(table).map(([name, filter], scene) => [name, filter, scene] as const)

  test.each(sampleOf(scenesOf(WITHOUT_SHELL), 1))(
    'in that it %s, tools that read show the other one',
    async (_, filter, scene) => {
      await becomes(filter)
      await allNamed(scene)
    },
  )

  test.each([...sampleOf(scenesOf(STRANGE), 3), ...sampleOf(scenesOf(ENDLESS), 1)])(
    'in that it %s, tools that read show the other one',
    async (_, filter, scene) => {
      await becomes(filter)
      await allNamed(scene)

      const tool = user.start(['davit-logs', 'web', '-f'], { environment })
      following = tool
      // A host is waited for, and then left to itself.
      await eventually('that one host is strange', () => expect(tool.stderr()).toMatch(/^\[st2\] warning: /m))
      await eventually('the lines of the other host', () => expect(tool.stdout()).toContain('| st1 speaks\n'))
      tool.process.kill('SIGINT')
      const { status, stdout, stderr } = await tool.outcome
      expect(status).toBe(130)
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
      expect(stdout).not.toContain('st2:')
    },
  )
})
