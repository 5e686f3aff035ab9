import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'

const GUIDE = readFileSync(new URL('../../docs/stacks.md', import.meta.url), 'utf8')

/** Returns the files of the guide, whose names are comments at their beginning. */
function filesOfGuide(): readonly (readonly [name: string, text: string])[] {
  return [...GUIDE.matchAll(/```(?:yaml|python)\n([^]*?)```/g)].flatMap(([, text = '']) => {
    const [, name] = /^# ([\w/]+\/\w+|\S+\.yaml)$/m.exec(text) ?? []
    return name === undefined ? [] : [[name, text] as const]
  })
}

/** The commands of the guide that publish the stacks. */
const PUBLISH = /```sh\n(cd acme\n[^]*?)```/.exec(GUIDE)?.[1] ?? ''

describe.skipIf(!HOSTS_POSSIBLE)('the guide to stacks', () => {
  let set: TestHosts
  let author: Coordinator
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'sg' })
    author = await coordinator({ hosts: set })
    user = await coordinator({ hosts: set })
    for (const [name, text] of filesOfGuide()) {
      if (name.startsWith('elsewhere/')) await user.write(name.slice('elsewhere/'.length), adapted(text))
      else await author.write(name, text)
    }
  })
  afterAll(async () => {
    await author?.remove()
    await user?.remove()
    await set?.down()
  })

  /** Puts our hosts in the place of those that the guide names. */
  function adapted(text: string): string {
    return text
      .replaceAll('git.example.org', 'sg1')
      .replaceAll('one.example.org', 'sg1')
      .replaceAll('two.example.org', 'sg2')
  }

  /** What the host with the page answers. */
  async function page(): Promise<string> {
    const answers = await Promise.all(set.hosts.map((host) => host.sh('curl -s http://localhost:8002/ || true')))
    return answers.join('').trim()
  }

  const git = () => ({
    GIT_SSH_COMMAND: `ssh -F ${join(set.directory, 'ssh_config')}`,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.org',
  })

  test('what it publishes, another workspace deploys to two hosts', async () => {
    await set.hosts[0]!.sh('git init -q --bare -b main /srv/stacks.git')
    const environment = git()
    succeeded(await author.bash(`chmod +x acme/*/server/bin/*; set -e\n${adapted(PUBLISH)}`, { environment }))
    succeeded(await user.run(['davit-fetch-stacks'], { environment }))
    succeeded(await user.run(['davit-env', '--stack', '.']))
    const { stdout } = succeeded(await user.run(['davit-query', '-p', 'visitors-live']))
    const places = new Map(stdout.split(/^(?=\S)/m).map((part) => [part.split('\n')[0] ?? '', part]))
    expect([...places.keys()]).toStrictEqual(['one', 'two'])
    for (const part of places.values()) expect(part).toContain('visitors.site.')
    expect(await page()).toBe('you are visitor 101')
  })

  test('a new version changes nothing until it is fetched, and then only what it is about', async () => {
    const environment = git()
    const next = 'sed -i s/you.are/hello,/ page/server/bin/page; sed -i s/1.0.0/1.1.0/ */Mu.yaml'
    const publish = `set -e; cd acme; ${next}; git commit -qam 1.1.0; git tag 1.1.0; git push -q origin main 1.1.0`
    succeeded(await author.bash(publish, { environment }))
    expect(succeeded(await user.run(['davit-env', '--stack', '.'])).stderr).toContain('nothing to do')
    succeeded(await user.run(['davit-fetch-stacks', '--update'], { environment }))
    const { stderr } = succeeded(await user.run(['davit-env', '--stack', '.']))
    expect(stderr).toContain('activate visitors.site.page.server in process: done')
    expect(stderr).not.toContain('activate visitors.site.counter')
    expect(await page()).toBe('hello, visitor 102')
  })

  test('a mistake is told before anything is done', async () => {
    const before = await user.generations('visitors-live')
    await user.write('Mu.yaml', 'name: visitors\nservices: { public: { site: { type: acme/site, count: 5 } } }\n')
    const { status, stderr } = await user.run(['davit-env', '--stack', '.'])
    expect([status, stderr]).toStrictEqual([
      65,
      expect.stringContaining("Mu.yaml:2:48: error: MU507: there is no property 'count'"),
    ])
    expect(await user.generations('visitors-live')).toStrictEqual(before)
    expect(await page()).toBe('hello, visitor 103')
  })
})
