import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'

/** Two bare repositories, of which one has versions, and the other only commits. */
const REPOSITORIES = `set -e
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
for name in stacks tools; do
  git init -q --bare -b main /srv/$name.git
  git init -q -b main /srv/$name
  git -C /srv/$name remote add origin /srv/$name.git
done
cd /srv/stacks
mkdir db
for version in 1.0.0 1.1.0 2.0.0; do
  printf 'name: acme/db\\nversion: %s\\nservices: { public: { c: { type: mu/container } } }\\n' $version >db/Mu.yaml
  git add -A && git commit -qm $version && git tag $version
done
cd /srv/tools
mkdir log
printf 'name: corp/log\\nservices: { public: { c: { type: mu/container } } }\\n' >log/Mu.yaml
git add -A && git commit -qm first
git rev-parse HEAD
printf '# later\\n' >>log/Mu.yaml
git commit -qam second
for name in stacks tools; do git -C /srv/$name push -q origin main --tags; done`

const versionScript = (version: string) => `set -e
cd /srv/stacks
printf 'name: acme/db\\nversion: ${version}\\nservices: { public: { c: { type: mu/container } } }\\n' >db/Mu.yaml
git -c user.name=a -c user.email=a@example.org commit -qam ${version}
git tag v${version}
git push -q origin main --tags`

describe.skipIf(!HOSTS_POSSIBLE)('stacks from repositories on a host', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let hash: string

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'fs' })
    host = set.hosts[0]!
    user = await coordinator()
    hash = (await host.sh(REPOSITORIES)).trim()
    await writeShop('shop')
  })
  afterAll(async () => {
    await user?.remove()
    await set?.down()
  })

  async function writeShop(directory: string): Promise<void> {
    const at = (name: string) => `ssh://fs1/srv/${name}.git`
    await user.write(`${directory}/Muspace.yaml`, {
      repositories: { 'acme/...': at('stacks'), 'corp/...': at('tools') },
      dependencies: { 'acme/db': '^1.0.0', 'corp/log': hash.slice(0, 7) },
    })
    await user.write(`${directory}/Mu.yaml`, {
      name: 'shop',
      services: { public: { db: { type: 'acme/db' }, log: { type: 'corp/log' } } },
    })
  }

  /** Takes over what `--pins` prints. */
  async function writePins(directory: string, pins: string): Promise<void> {
    const { stdout } = await user.bash(`sed '/^dependencies:/,$d' ${directory}/Muspace.yaml`)
    await user.write(`${directory}/Muspace.yaml`, `${stdout}${pins}`)
  }

  const compiled = async (machine: Coordinator) =>
    succeeded(await machine.run(['davit-compile-stack', 'shop', '--skip-codegen'])).stdout
  const fetch = (...words: readonly string[]) => fetchOn(user, ...words)
  const fetchOn = (machine: Coordinator, ...words: readonly string[]) =>
    machine.run(['davit-fetch-stacks', ...words], {
      environment: { GIT_SSH_COMMAND: `ssh -F ${join(set.directory, 'ssh_config')}` },
    })
  const versionIn = async (shop: string) =>
    (await user.bash(`grep ^version ${shop}/.Mudeps/hub.mu.com/acme/db/Mu.yaml`)).stdout
  const bytesOf = async (shop: string, machine = user) =>
    (await machine.bash(`cd ${shop}/.Mudeps && find . -type f -name Mu.yaml | sort | xargs sha256sum`)).stdout

  test('the highest version that fits and a pinned commit are fetched over ssh', async () => {
    const { stdout } = succeeded(await fetch('shop', '--pins'))
    expect(stdout).toBe(`dependencies:\n  acme/db: "1.1.0"\n  corp/log: ${/^\d/.test(hash) ? `"${hash}"` : hash}\n`)
    expect(await versionIn('shop')).toBe('version: 1.1.0\n')
    expect((await user.bash('cat shop/.Mudeps/hub.mu.com/corp/log/Mu.yaml')).stdout).not.toContain('later')
    expect(JSON.parse((await user.bash('cat shop/.Mudeps/hub.mu.com/corp/log/.origin.json')).stdout)).toStrictEqual({
      repository: 'ssh://fs1/srv/tools.git',
      commit: hash,
    })
  })

  test('a new version changes nothing until it is asked for', async () => {
    await host.sh(versionScript('1.2.0'))
    expect(succeeded(await fetch('shop')).stderr).toBe('')
    expect(await versionIn('shop')).toBe('version: 1.1.0\n')
    expect(succeeded(await fetch('shop', '--update', '--dry-run')).stderr).toContain("would fetch 'acme/db' v1.2.0")
    expect(await versionIn('shop')).toBe('version: 1.1.0\n')
    succeeded(await fetch('shop', '--update'))
    expect(await versionIn('shop')).toBe('version: 1.2.0\n')
  })

  test('another machine that takes over the pins compiles the same bytes', async () => {
    const pins = succeeded(await fetch('shop', '--pins')).stdout
    const other = await coordinator()
    onTestFinished(() => other.remove())
    await writePins('shop', pins)
    await other.write('shop/Muspace.yaml', (await user.bash('cat shop/Muspace.yaml')).stdout)
    await other.write('shop/Mu.yaml', (await user.bash('cat shop/Mu.yaml')).stdout)
    // By then, there is a newer version.
    await host.sh(versionScript('1.3.0'))
    succeeded(await fetchOn(other, 'shop'))
    expect(await bytesOf('shop', other)).toBe(await bytesOf('shop'))
    expect(await compiled(other)).toBe(await compiled(user))
  })

  test('with the host out of reach, what is there is used, and an update says so', async () => {
    const [before, stack] = [await bytesOf('shop'), await compiled(user)]
    await host.sshd('stop')
    expect(succeeded(await fetch('shop')).stderr).toBe('')
    expect(await compiled(user)).toBe(stack)
    const { status, stderr } = await fetch('shop', '--update')
    expect([status, stderr]).toStrictEqual([
      69,
      expect.stringMatching(/: error: stack '.*': cannot fetch 'ssh:\/\/fs1\/srv\/stacks\.git': /m),
    ])
    expect(await bytesOf('shop')).toBe(before)
    await host.sshd('start')
  })
})
