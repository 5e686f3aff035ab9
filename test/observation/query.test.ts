import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'

const STATE = '/var/lib/davit/targets'

/** What is wrong in the output of davit-query, a line each. */
const notesIn = (stdout: string) => stdout.split('\n\n')[1]?.trimEnd().split('\n') ?? []

describe.skipIf(!HOSTS_POSSIBLE)('three hosts are looked at', () => {
  let set: TestHosts
  let user: Coordinator
  let [first, second, third]: readonly (Host | undefined)[] = []

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'qu' })
    ;[first, second, third] = set.hosts
    user = await coordinator({ hosts: set })
    await user.bash(
      `mkdir -p web/bin && printf '#!/bin/sh\\nexec sleep 1000000\\n' >web/bin/web && chmod +x web/bin/web`,
    )
    const containers = { process: {}, wrapper: {}, second: {} }
    const services = { web: { type: 'process', pkg: { source: './web' } }, api: wrapper() }
    const both = ['wrapper', 'second'].map((container) => ({ target: 'qu1', container }))
    const distribution = { web: ['qu1', 'qu2', 'qu3'], api: { targets: both } }
    succeeded(
      await deploy(user, { services, infrastructure: infrastructureOf(set.hosts, { containers }), distribution }),
    )
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const davit = (...words: readonly string[]) => user.run(words)
  const status = async () => {
    const ended = await davit('davit-query', '--status')
    return [ended.status, notesIn(ended.stdout)]
  }
  /** What davit-doctor finds on machines with targets, a line each. */
  const findings = async () => {
    const { status: ended, stdout } = await davit('davit-doctor', '--format', 'json')
    const { machines } = JSON.parse(stdout) as {
      readonly machines: readonly {
        readonly targets: readonly string[]
        readonly checks: readonly { readonly severity: string; readonly text: string; readonly remedy?: string }[]
      }[]
    }
    const lines = machines.flatMap(({ targets, checks }) =>
      checks
        .filter(({ severity }) => severity === 'warning' || severity === 'error')
        .map(({ text, remedy }) => `${targets.join()}: ${text} → ${remedy}`),
    )
    return [ended, lines]
  }
  const repair = async () => succeeded(await davit('davit-env', '--switch-to-generation', '1'))

  test('while all is well: a service in two containers, a picture that Graphviz accepts, and no more than four requests to each', async () => {
    const { stdout } = succeeded(await davit('davit-query', '-f', 'containers'))
    expect(stdout).toBe(`qu1
  process
    web
  second
    api
  wrapper
    api
qu2
  process
    web
qu3
  process
    web
`)
    expect(await status()).toEqual([0, []])
    expect(await findings()).toEqual([0, []])
    succeeded(await user.bash('davit-visualize | dot -Tsvg >picture.svg'))
    succeeded(await user.run(['davit-doctor', '-q'], { environment: { DAVIT_TRACE: 'trace.json' } }))
    const trace = await user.bash(`grep -c '"cat":"request"' trace.json; grep -c '"cat":"helper"' trace.json`)
    // Four on each host; on this machine, one request less.
    expect(trace.stdout).toBe('15\n4\n')
  })

  test('one of which does not answer, and one refuses connections', async () => {
    await second!.befall('cut')
    await third!.sshd('stop')
    const environment = { SSH_OPTS: '-o ConnectTimeout=2' }
    const query = await user.run(['davit-query', '--status'], { environment })
    const doctor = await user.run(['davit-doctor', '-q'], { environment })
    await second!.befall('join')
    await third!.sshd('start')
    expect([query.status, query.stdout]).toEqual([69, expect.stringContaining('cannot be asked')])
    expect(query.stderr).toMatch(
      /\[qu2\] warning: cannot tell what is there: .*\n.*\[qu3\] warning: .*connection refused/s,
    )
    expect([doctor.status, doctor.stdout]).toEqual([
      2,
      expect.stringMatching(/qu2\n {2}error {4}cannot .*qu3\n {2}error/s),
    ])
  })

  test('one of which was restarted, one reinstalled, and one changed by hand; each remedy helps', async () => {
    await second!.befall('reboot')
    await third!.befall('reinstall')
    await first!.sh(
      `pkill -f '[s]leep 1000000'; rm -r ${user.storeDirectory}/*-api; cd ${STATE}/qu1/active/default/wrapper:* && sed -i 1d record`,
    )
    const [ended, notes] = await status()
    expect([ended, (notes as readonly string[]).map((note) => note.replace(/\/\S*\/\S*-/g, ''))]).toEqual([
      2,
      expect.arrayContaining([
        'qu1: web in process: does not run',
        expect.stringMatching(/^qu1: api in second: its package api is missing$/),
        expect.stringMatching(/^qu1: api in wrapper: its record is damaged: /),
        // Its store was in /tmp.
        expect.stringMatching(/^qu2: web in process: the machine was restarted since it was activated; its package /),
        expect.stringMatching(/^qu3: its profile is missing instead of /),
        'qu3: web in process: not active, although it is deployed',
      ]),
    ])
    expect(await findings()).toEqual([
      2,
      expect.arrayContaining([
        expect.stringMatching(
          /^qu1: the record of api in wrapper on 'qu1' is damaged: .* → davit-env --switch-to-generation 1$/,
        ),
        expect.stringMatching(
          /^qu2: the current profile of 'default' on 'qu2' is gone: .* → davit-env --switch-to-generation 1$/,
        ),
        'qu3: web is deployed, and has no record → davit-env --switch-to-generation 1',
      ]),
    ])
    await repair()
    expect([await status(), await findings()]).toEqual([
      [0, []],
      [0, []],
    ])
  })

  test('of which somebody has changed what is current, and a run has left a lock', async () => {
    await first!.sh(`cd ${STATE}/qu1/profiles/default && ln -sfn /nowhere 7-link && ln -sfn 7-link current`)
    await second!.sh(`mkdir -p ${STATE}/qu2/lock/default && cd ${STATE}/qu2/lock/default &&
      printf 'token tk\\nowner -\\nsince 1\\nrenewed 1\\nlease 60\\nnumber 99\\n' >holder`)
    expect(await status()).toEqual([
      2,
      expect.arrayContaining(["qu1: the current profile of 'qu1' leads to no path in a store"]),
    ])
    const [ended, lines] = await findings()
    expect([ended, lines]).toEqual([
      2,
      [
        "qu1: the current profile of 'default' on 'qu1' is gone: /nowhere → davit-env --switch-to-generation 1",
        expect.stringMatching(/^qu2: the lock of 'default' on 'qu2' .* → davit-unlock --id tk --deployed$/),
      ],
    ])
    succeeded(await davit('davit-unlock', '--id', 'tk', '--deployed'))
    await repair()
    expect([await status(), await findings()]).toEqual([
      [0, []],
      [0, []],
    ])
  })
})
