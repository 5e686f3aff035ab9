import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeField } from '@davit/target-runtime'
import { MARIADB_SOCKET, startMariadb } from '@davit/testing/database-servers'
import { type Exposure, exposuresOf, filesWith, formsOf } from '@davit/testing/exposures'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, type Outcome, type RunOptions, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, contentIn, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { type Models, writeModels } from '../harness/models.ts'

/** Notes which values each activity gets, as checksums. `/tmp/hold.ACTIVITY` makes an activity wait until that file is gone. */
const VAULT = `#!/bin/sh
if [ -e "/tmp/hold.$1" ]; then
  : >"/tmp/held.$1"
  while [ -e "/tmp/hold.$1" ]; do sleep 0.05; done
fi
printf %s "$fromFile|$fromEnv|$fromCommand" | sha256sum | sed "s/ .*/ $1/" >>/root/calls
[ "$1" != snapshot ] || echo state >"$DAVIT_SNAPSHOT/state"
[ ! -e /tmp/fail ] || { echo "cannot log in with $fromFile"; exit 1; }
`
const ACTIVITIES = ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage', 'status', 'lock', 'unlock']

const hasMariadb = spawnSync('mariadb', ['--version']).status === 0
const MARIADB = startMariadb('--skip-networking')
const accountWith = (password: string) => `mariadb -uroot <<end
CREATE USER shop@localhost IDENTIFIED BY '${password}';
GRANT ALL ON *.* TO shop@localhost;
end`

describe.skipIf(!HOSTS_POSSIBLE || !hasMariadb)('secrets', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  const canary = (kind: string) => `canary-${kind}-${randomBytes(12).toString('hex')} "$x" 'ü'`
  const values = { file: canary('file'), env: canary('env'), command: canary('command') }
  const password = `canary-${randomBytes(12).toString('hex')}`

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'sec' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set })
    await user.write('modules/vault', VAULT)
    await user.write('modules/vault.activities', ACTIVITIES.join('\n'))
    await user.bash('chmod +x modules/vault')
    await user.write('keys/file', `${values.file}\n`)
    await user.write('keys/command', values.command)
    await user.write('keys/password', `${password}\n`)
    await host.sh(`${MARIADB}\n${accountWith(password)}`)
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (version: string | undefined): Models => ({
    services: {
      vault: { type: 'vault', pkg: { build: { script: `echo ${version} >"$out"` } }, deployState: true },
      shop: { type: 'mysql-database', pkg: { build: { script: 'mkdir "$out"' } }, deployState: true },
    },
    infrastructure: {
      one: {
        properties: { hostname: host.address },
        clientInterface: 'ssh',
        containers: {
          vault: {
            fromFile: { secret: { file: 'keys/file' } },
            fromEnv: { secret: { env: 'CANARY' } },
            fromCommand: { secret: { command: ['cat', 'keys/command'] } },
          },
          'mysql-database': {
            mysqlSocket: MARIADB_SOCKET,
            mysqlUsername: 'shop',
            mysqlPassword: { secret: { command: 'cat keys/password' } },
          },
        },
      },
    },
    distribution: version === undefined ? {} : { vault: ['one'], shop: ['one'] },
  })
  const outputs: string[] = []
  const run = async (argv: readonly string[], options: RunOptions = {}): Promise<Outcome> => {
    const environment = { CANARY: values.env, DAVIT_TRACE: join(user.directory, 'trace.json') }
    const outcome = await user.run(argv, { environment, ...options })
    outputs.push(outcome.stdout, outcome.stderr)
    return outcome
  }
  const wordsFor = async (version: string | undefined, ...options: readonly string[]) => [
    'davit-env',
    '--modules',
    'modules',
    ...(await writeModels(user, models(version))),
    ...options,
  ]
  const env = async (...terms: Parameters<typeof wordsFor>) => run(await wordsFor(...terms))
  const calls = async () => (await host.sh('cat /root/calls 2>/dev/null; rm -f /root/calls')).trimEnd().split('\n')
  const expected = (activity: string) => {
    const text = `${values.file}|${values.env}|${values.command}`
    return `${createHash('sha256').update(text).digest('hex')} ${activity}`
  }
  /** Nowhere but in the environments of modules and their children and, where a variable is the secret, of davit itself. */
  const expectHidden = async () => {
    expect(exposures([...Object.values(values), password], user.directory)).toEqual([])
    const forms = [...Object.values(values), password].flatMap(traces)
    for (const output of outputs) expect(forms.filter((form) => output.includes(form))).toEqual([])
    const places = '/var/lib/davit /root /tmp /run /var/log /var/tmp /srv/modules'
    const found = await host.sh(
      `printf '%s\\n' "$@" | grep -rlF -D skip -f - ${places} 2>/dev/null || :`,
      ...forms.flatMap((form) => form.split('\n')).filter((line) => line !== ''),
    )
    expect(found).toBe('')
    expect(filesWith(forms, user.directory).filter((name) => !name.startsWith('keys/'))).toEqual([])
  }
  /** Looks for the values while a tool in a process of its own waits for an activity. */
  const held = async (activity: string, argv: readonly string[]) => {
    await host.sh(`: >/tmp/hold.${activity}`)
    const running = run(argv, { process: true })
    await eventually(activity, () => contentIn(host, `/tmp/held.${activity}`) !== undefined)
    await expectHidden()
    await host.sh('rm -f /tmp/hold.* /tmp/held.*')
    return succeeded(await running)
  }

  test('reach modules and nothing else, in every activity', { timeout: 300_000 }, async () => {
    succeeded(await env('1', '--dry-run'))
    await held('activate', await wordsFor('1'))
    expect(await calls()).toContain(expected('activate'))
    await held('status', await wordsFor('1'))
    expect(await calls()).toEqual([expected('status')])
    await held('snapshot', ['davit-snapshot', '--deployed'])
    await held('restore', ['davit-restore', '--deployed', '--all'])
    expect(await calls()).toEqual([expected('snapshot'), expected('snapshot'), expected('restore')])
    await held('deactivate', await wordsFor('2', '-v'))
    const changes = await calls()
    for (const activity of ['lock', 'deactivate', 'activate', 'unlock']) expect(changes).toContain(expected(activity))
    await held('deactivate', await wordsFor(undefined, '--log-format', 'json'))
    expect(new Set((await calls()).map((line) => line.split(' ')[0]))).toEqual(new Set([expected('').trim()]))
    await user.write('before.xml', succeeded(await run(['davit-generations', '--print', '2'])).stdout)
    await held('collect-garbage', ['davit-delete-state', '-o', 'before.xml', '--deployed'])
    expect(await calls()).toEqual([expected('collect-garbage')])
    await expectHidden()
  })

  test('that changed are noticed, until the service is restarted', async () => {
    succeeded(await env('3'))
    await user.write('keys/file', `${(values.file = canary('other'))}\n`)
    for (const options of [[], ['--dry-run'], []]) {
      const { stdout, stderr } = succeeded(await env('3', ...options))
      expect(stdout + stderr).toContain('container properties changed: fromFile')
    }
    await calls()
    succeeded(await env('3', '--restart-changed'))
    expect(await calls()).toContain(expected('activate'))
    expect(succeeded(await env('3')).stderr).not.toContain('changed')
    await expectHidden()
  })

  test('that a module prints are not shown, nor kept by the coordinator', async () => {
    await host.sh(': >/tmp/fail')
    const { status, stderr } = await env('4')
    await host.sh('rm /tmp/fail')
    expect(status).not.toBe(0)
    expect(stderr).toContain('cannot log in with [secret]')
    expect(filesWith(traces(values.file), join(user.directory, 'state'))).toEqual([])
    succeeded(await env('3', '--repair'))
  })

  test('that cannot be resolved stop a run before it changes anything', async () => {
    await calls()
    await rm(join(user.directory, 'keys/file'))
    const { status, stderr } = await env('5')
    expect(status).toBe(66)
    expect(stderr).toMatch(
      /'fromFile' of container 'vault' on 'one', which 'vault' needs, .* file '.*keys\/file': no such file/,
    )
    expect(await calls()).toEqual([''])
    expect(await user.generations()).toHaveLength(4)
  })
})

/** Forms in which a value could be found. */
function traces(value: string): readonly string[] {
  return [...formsOf(value), encodeField(value)]
}

/** Where values are in the arguments and environments of all processes but those that get them by design. */
function exposures(values: readonly string[], coordinatorDirectory: string): readonly string[] {
  const isMeant = ({ where, environment }: Exposure) => {
    const isModule = environment.includes('\0DAVIT_KEY=')
    const isUser = environment.includes(`HOME=${coordinatorDirectory}\0`) && environment.includes('\0CANARY=')
    return where === 'environment' && (isModule || isUser)
  }
  return exposuresOf(values.flatMap(traces))
    .filter((one) => !isMeant(one))
    .map(({ where, argv }) => `${where} of ${argv.replaceAll('\0', ' ').slice(0, 80)}`)
}
