import { readdir } from 'node:fs/promises'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type Started, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, makeManifest, type Models } from '../harness/models.ts'
import { activeOn, forgetDeployments } from '../harness/records.ts'
import { heldBack, wrapper } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE)('davit-connect with two hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'cn' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
    await makeManifest(user, models(), 'made.json')
  })
  beforeEach(async () => {
    succeeded(await user.bash('rm -f between go ready active sleeper pid; cp made.json manifest.json'))
  })
  afterEach(async () => {
    await forgetDeployments(hosts, user)
    const left = await leftovers()
    if (left.length > 0) throw new Error(`davit-connect has left ${left.join(', ')}`)
  })
  afterAll(async () => {
    await user?.remove()
    await set?.down()
  })

  const models = (body?: string): Models => ({
    services: { web: wrapper(body === undefined ? {} : { body }), database: wrapper() },
    infrastructure: infrastructureOf(hosts),
    distribution: { web: ['cn1'], database: ['cn2'] },
  })
  const own = () => ({ environment: { TMPDIR: user.directory } })
  const leftovers = async () => (await readdir(user.directory)).filter((name) => name.startsWith('davit-connect.'))
  const STEPS = 'davit-distribute manifest.json | davit-lock | davit-activate | davit-set | davit-unlock >/dev/null'
  const logins = async () =>
    Promise.all(hosts.map(async (host) => Number(await host.sh('grep -c "Accepted publickey" /var/log/sshd.log || :'))))
  /** Logins at each host while a function works. */
  const loginsDuring = async (work: () => Promise<unknown>) => {
    const before = await logins()
    await work()
    return (await logins()).map((count, index) => count - before[index]!)
  }
  const hasFile = (name: string) => async () => (await readdir(user.directory)).includes(name)
  /** Runs a script in davit-connect that waits between two parts until `go` is written. */
  const inTwoParts = async (first: string, second: string): Promise<Started> => {
    const script = `set -e\n${first}\ntouch between\nuntil [ -e go ]; do sleep 0.05; done\n${second}`
    const running = user.start(['davit-connect', '--', 'bash', '-o', 'pipefail', '-c', script], own())
    await eventually('the first part', hasFile('between'))
    return running
  }
  const goOn = () => user.write('go', '')

  test('all tools of a pipe make one connection to each host, and what they do is the same', async () => {
    const steps = ['davit-connect', 'manifest.json', '--', 'bash', '-o', 'pipefail', '-c', STEPS]
    expect(await loginsDuring(async () => succeeded(await user.run(steps, own())))).toEqual([1, 1])
    expect(await activeOn(hosts)).toEqual(['cn1 wrapper web', 'cn2 wrapper database'])
    expect(await user.generations()).toEqual([1])
  })

  test('davit-env in it makes one connection to each host, and so does another davit-connect', async () => {
    await user.write('deploy', `davit-connect manifest.json -- "$@"`)
    const options = ['-D', 'manifest.json']
    const nested = ['davit-connect', '--', 'sh', './deploy', 'davit-env', ...options]
    expect(await loginsDuring(async () => succeeded(await user.run(nested, own())))).toEqual([1, 1])
    expect(succeeded(await deploy(user, models(), own())).status).toBe(0)
  })

  test('standard input belongs to the command', async () => {
    const { stdout } = await user.run(['davit-connect', '--', 'cat'], { ...own(), input: 'for cat' })
    expect(stdout).toBe('for cat')
  })

  test.each([
    ['SIGINT', 3],
    ['SIGTERM', 4],
    ['SIGHUP', 5],
  ] as const)('passes %s to its command, and waits for its end', async (signal, status) => {
    const script = `trap 'exit ${status}' ${signal.slice(3)}; touch ready; while :; do sleep 0.05; done`
    const running = user.start(['davit-connect', '--', 'sh', '-c', script], own())
    await eventually('the command', hasFile('ready'))
    running.process.kill(signal)
    expect((await running.outcome).status).toBe(status)
  })

  test('when it is killed between two tools, the next one connects by itself, and the next davit-connect sweeps', async () => {
    const running = await inTwoParts(
      'davit-distribute manifest.json >/dev/null',
      'davit-activate -v manifest.json >active',
    )
    running.process.kill('SIGKILL')
    await goOn()
    await eventually('the activation', async () => (await activeOn(hosts)).length === 2)
    const { stderr } = await running.outcome
    expect(stderr).toContain('connecting without it')
    expect(await leftovers()).toHaveLength(1)
    expect((await user.run(['davit-connect', '--', 'true'], own())).status).toBe(0)
  })

  test('when it is killed during an activation, the tool reconnects by itself, and nothing runs twice', async () => {
    await makeManifest(user, models(heldBack('held')))
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    const activation = user.start(['davit-connect', '--', 'davit-activate', 'manifest.json'], own())
    await eventually('the activity', async () =>
      expect(await hosts[0]!.sh('cat /tmp/held.begun 2>/dev/null || :')).not.toBe(''),
    )
    const before = await logins()
    activation.process.kill('SIGKILL')
    await eventually('the new connection', async () => (await logins())[0]! > before[0]!)
    await hosts[0]!.sh('touch /tmp/held.go')
    await eventually('the activation', async () => expect(await activeOn(hosts)).toContain('cn1 wrapper web'))
    await activation.outcome
    expect(await hosts[0]!.sh('wc -l </tmp/held.begun')).toBe('1\n')
    succeeded(await user.run(['davit-connect', '--', 'davit-activate', 'manifest.json'], own()))
  })

  test('a tool that is killed leaves no helper behind, and its lock can be taken at once', async () => {
    const locking = "davit-lock manifest.json -- sh -c 'echo $$ >sleeper; exec sleep 1000' & echo $! >pid"
    const killing = 'until [ -s sleeper ]; do sleep 0.05; done; kill -9 "$(cat pid)"; wait || :; kill "$(cat sleeper)"'
    const running = await inTwoParts(`${locking}\n${killing}`, 'davit-lock manifest.json -- true')
    const helpers = async (host: Host) => Number(await host.sh('ps -eo args | grep -c "[I]FS= read -r script" || :'))
    await eventually('the end of the helpers', async () =>
      (await Promise.all(hosts.map(helpers))).every((count) => count === 0),
    )
    await goOn()
    succeeded(await running.outcome)
  })
})
