import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, type Outcome, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'

const pageOf = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

/** The commands of a page, without the comments behind them. */
function commandsOf(page: string): readonly string[] {
  return [...pageOf(page).matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = '']) =>
    block
      .split('\n')
      .map((line) => line.replace(/\s+#.*$/, ''))
      .filter((line) => line !== ''),
  )
}

/** The script of the job that the page shows for merge requests. */
function jobOf(page: string): string {
  const [, script = ''] = /\n {2}script:\n([^]*?)\n```/.exec(pageOf(page)) ?? []
  return script.replaceAll(/^ {4}- >-\n {6}(.*)\n {6}/gm, '$1 ').replaceAll(/^ {4}- /gm, '')
}

const DB = (version: number) => `#!/bin/sh\necho "$(date -u +%FT%T.000Z) version ${version}"\nexec sleep 86396\n`
const WEB = `#!/usr/bin/env node
require('node:http').createServer((request, answer) => {
  console.log(new Date().toISOString(), request.method, request.url)
  answer.end('{"status":"ok"}\\n')
}).listen(Number(process.env.port))
`
const MODELS = '-s services.yaml -i infrastructure.yaml -d distribution.yaml'

describe.skipIf(!HOSTS_POSSIBLE)('what the pages for users say', () => {
  let set: TestHosts
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'web' })
    user = await coordinator({ hosts: set })
    const service = (name: string, more: object = {}) => ({ type: 'process', pkg: { source: `./${name}` }, ...more })
    await user.write('services.yaml', { db: service('db'), web: service('web', { dependsOn: ['db'] }) })
    const target = (hostname: string) => ({ properties: { hostname }, containers: { process: { port: '8080' } } })
    await user.write('infrastructure.yaml', { web1: target('web1'), web2: target('web2') })
    await user.write('distribution.yaml', { db: ['web1'], web: ['web1', 'web2'] })
    await user.write('web/bin/web', WEB)
    await set.hosts[0]!.sh('mkdir -p /var/lib/mysql')
    await version(1)
    succeeded(await user.bash(`davit-normalize ${MODELS} | davit-manifest >old.xml`))
    await version(2)
    succeeded(
      await user.bash(
        `set -e; davit-normalize ${MODELS} >architecture.json; davit-manifest architecture.json >new.xml; cp new.xml manifest.xml`,
      ),
    )
  })
  afterAll(async () => {
    await user?.remove()
    await set?.down()
  })

  const version = async (number: number) => {
    await user.write('db/bin/db', DB(number))
    succeeded(await user.bash('chmod +x */bin/*'))
  }
  /** Whether a shell does no more with it than to split it into words. */
  const isPlain = (command: string) => /^davit-(?!diagnose)[\w./ -]+$/.test(command)
  const isEndless = (command: string) => / -f$| --watch$/.test(command)
  /** Runs a command as it is typed; one that does not end is interrupted once it has shown something of each host. */
  const typed = async (command: string): Promise<Outcome> => {
    if (!isEndless(command)) return isPlain(command) ? user.run(command.split(' ')) : user.bash(command)
    const tool = user.start(command.split(' '))
    await eventually(`what '${command}' shows`, () => expect(tool.stdout()).toMatch(/web1[^]*web2/))
    tool.process.kill('SIGINT')
    return tool.outcome
  }
  const deployed = () => typed(`davit-env ${MODELS}`)
  /** Types the commands of a page. Returns their status. */
  const statuses = async (page: string) => {
    const found: [string, number | null][] = []
    for (const command of commandsOf(page)) {
      // They are about the same files.
      // oxlint-disable-next-line no-await-in-loop
      const { status, stderr } = await typed(command)
      expect([command, stderr]).toEqual([command, expect.not.stringMatching(/\berror\b|warning/)])
      found.push([command, status])
    }
    expect(found.length).toBeGreaterThan(5)
    return found
  }
  const expected = (found: readonly (readonly [string, unknown])[], statusOf: (command: string) => number) =>
    found.map(([command]) => [command, isEndless(command) ? 130 : statusOf(command)])

  test('about plans is so: each plan has something to do until it is carried out', async () => {
    const found = await statuses('plan')
    expect(found).toEqual(expected(found, (command) => (command.startsWith('davit-env') ? 0 : 2)))
    expect(await user.generations()).toEqual([1])
    const again = await typed('davit-env --plan plan.json')
    expect([again.status, again.stderr]).toEqual([4, expect.stringContaining('it was carried out already')])
    expect(succeeded(await typed(`davit-plan ${MODELS}`)).stdout).toBe('nothing to do\n')
  })

  test('about merge requests is so: the job posts what merging would change', async () => {
    const posted: { readonly path: string | undefined; readonly body: string }[] = []
    const server = createServer((request, answer) => {
      void text(request).then((body) => {
        posted.push({ path: request.url, body })
        answer.end('{}')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const commit = 'git add *.yaml db web && git -c user.name=a -c user.email=a@example.org commit -qm'
    await version(1)
    succeeded(
      await user.bash(`set -e; git init -q -b main origin; cp -r *.yaml db web origin; cd origin; ${commit} one`),
    )
    succeeded(await user.bash('set -e; git clone -q origin clone; cd clone; git switch -qc change'))
    succeeded(await user.bash(`set -e; cd clone; sed -i 's/version 1/version 9/' db/bin/db; ${commit} nine`))
    const environment = {
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CI_PROJECT_ID: '7',
      CI_MERGE_REQUEST_IID: '8',
      PLAN_TOKEN: 'x',
    }
    try {
      succeeded(await user.bash(`cd clone; set -e\n${jobOf('plan')}`, { environment }))
    } finally {
      server.close()
    }
    const [{ path, body } = { path: '', body: '' }] = posted
    expect([posted.length, path]).toEqual([1, '/projects/7/merge_requests/8/notes'])
    const note = new URLSearchParams(body).get('body')
    expect(note).toContain('### Plan for default: 3 to replace, on 2 targets\n')
    expect(note).toContain('| replace db in process | web1 | changed package: ')
  })

  test('about what is there is so', async () => {
    for (const number of [1, 2, 3]) {
      // oxlint-disable-next-line no-await-in-loop
      await version(number)
      // oxlint-disable-next-line no-await-in-loop
      succeeded(await deployed())
    }
    await user.write('manifest.xml', succeeded(await user.run(['davit-generations', '--current'])).stdout)
    const found = await statuses('see-what-is-there')
    expect(found).toEqual(expected(found, (command) => (command === 'davit-compare before.xml' ? 1 : 0)))
    expect(succeeded(await user.bash('cat infrastructure.yaml')).stdout).toMatch(/^ {2}system: /m)

    await set.hosts[1]!.sh('pkill -f "bin/we[b]"')
    const { status, stdout } = await typed('davit-query --status')
    const [head = '', ...rows] = stdout.split('\n')
    expect(pageOf('see-what-is-there')).toContain(head)
    expect([status, rows]).toEqual([2, expect.arrayContaining(['web2: web in process: does not run'])])
    succeeded(await deployed())
    succeeded(await typed('davit-query --status'))
  })

  test('about what is wrong is so', async () => {
    succeeded(await user.bash(`davit-diagnose -S web -- 'until curl -sS localhost:$port/health; do sleep 0.1; done'`))
    const found = await statuses('find-out-what-is-wrong')
    expect(found).toEqual(expected(found, () => 0))
    const [, table = ''] = /\n\| variable \|.*\n([^]*?)\n\n/.exec(pageOf('find-out-what-is-wrong')) ?? []
    const variables = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
      cell.replaceAll('`', '').split(', '),
    )
    expect(variables).toContain('DAVIT_PACKAGE')
    const print = variables.map((name) => `echo "${name}=\${${name}:+is set}"`).join('; ')
    const { stdout } = succeeded(
      await user.run(['davit-diagnose', '-S', 'web', '-t', 'web1', '--no-prefix', '--', print]),
    )
    expect(stdout.trimEnd().split('\n')).toEqual(variables.map((name) => `${name}=is set`))
  })
})
