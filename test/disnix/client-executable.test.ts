import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeClient } from '@davit/testing/client-executable'
import { sampleOf } from '@davit/testing/effort'
import { type PrivateNix, privateNix } from '@davit/testing/private-nix'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, modelFile, type Models, writeModels } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'

const WAYS = sampleOf(['local', 'ssh'], 1)

describe.skipIf(!NIX_POSSIBLE).each(WAYS)('a target behind a client executable, and one by %s,', (way) => {
  let set: TestHosts | undefined
  let user: Coordinator
  let there: PrivateNix
  let executable: string

  beforeAll(async () => {
    there = privateNix()
    if (way === 'ssh') set = await bringUpHosts(1, { prefix: 'ce' })
    user = await coordinator({ nix: true, ...(set === undefined ? {} : { hosts: set }) })
    await set?.hosts[0]?.sh('mkdir -p "$1"', user.directory)
    const within = join(there.directory, 'bin/in-private-nix')
    executable = writeClient({ directory: join(there.directory, 'machine'), within })
    const module = join(there.directory, 'machine/types/wrapper')
    await writeFile(module, `#!/bin/sh\nexec '${within}' "$2/bin/wrapper" "$1" "$3"\n`)
    await chmod(module, 0o755)
  })
  afterAll(async () => {
    there?.remove()
    await set?.down()
    await user?.remove()
  })

  const service = (name: string, version: string, attributes: Record<string, unknown> = {}) => {
    const journal = join(user.directory, 'journal')
    const held = `while [ -e '${user.directory}/hold-'"$1-${name}" ]; do sleep 0.1; done`
    const body = `echo "$1 ${name} ${version}" >>'${journal}'; ${held}; [ ! -e '${user.directory}/fail-'"$1-${name}" ]; exit`
    return wrapper({ version, body, journal }, attributes)
  }
  const models = (version: string): Models => ({
    services: { database: service('database', '1'), web: service('web', version, { dependsOn: ['database'] }) },
    infrastructure: {
      near: {
        clientInterface: way,
        properties: { hostname: set?.hosts[0]?.address ?? 'here' },
        containers: { wrapper: {} },
      },
      far: {
        clientInterface: executable,
        properties: { hostname: 'far.example' },
        containers: { wrapper: { a: 1 } },
      },
    },
    distribution: { database: ['near'], web: ['far'] },
  })
  const options = ['--store', 'nix']
  const take = async () => {
    const script = 'cd "$1" && cat journal 2>/dev/null; rm -f journal'
    const away = (await set?.hosts[0]?.sh(script, user.directory)) ?? ''
    const { stdout } = await user.run(['sh', '-c', script, 'sh', user.directory])
    return (away + stdout).split('\n').filter((line) => /^(de)?activate/.test(line))
  }
  const calls = async () => {
    const file = join(there.directory, 'machine/calls')
    const text = await readFile(file, 'utf8').catch(() => '')
    await writeFile(file, '')
    return text.split('\n').flatMap((line) => /^--(\S+)/.exec(line)?.[1] ?? [])
  }
  const current = () => there.shell('readlink -f /nix/var/nix/profiles/disnix/default').trim()

  test('are deployed together', async () => {
    succeeded(await deploy(user, models('1'), { options }))
    expect(await take()).toEqual(['activate database 1', 'activate web 1'])
    expect(await calls()).toEqual([
      'print-invalid',
      'import',
      'print-invalid',
      'lock',
      'query-installed',
      'activate',
      'set',
      'unlock',
    ])
    expect(there.shell('cat "$1"/profilemanifest.xml', current())).toContain('<name>web</name>')
  })

  test('are left alone if nothing has changed', async () => {
    const { stderr } = succeeded(await deploy(user, models('1'), { options }))
    expect(stderr).toContain('nothing to do')
    expect(await take()).toEqual([])
    expect(await calls()).toEqual(['print-invalid'])
  })

  test('are upgraded, and rolled back', async () => {
    const before = current()
    await user.write('fail-activate-web', '')
    const { status } = await deploy(user, models('2'), { options })
    expect(status).not.toBe(0)
    await user.run(['rm', 'fail-activate-web'])
    expect(await take()).toEqual(['deactivate web 1', 'activate web 2', 'deactivate web 2', 'activate web 1'])
    expect(current()).toBe(before)
    succeeded(await deploy(user, models('2'), { options }))
    expect(await take()).toEqual(['deactivate web 1', 'activate web 2'])
    expect(current()).not.toBe(before)
    succeeded(await user.run(['davit-env', '--rollback']))
    expect(await take()).toEqual(['deactivate web 2', 'activate web 1'])
    expect(current()).toBe(before)
  })

  test('are left as they are when a deployment is interrupted during its last activity, and recorded by the next', async () => {
    await calls()
    const before = current()
    await user.write('hold-activate-web', '')
    const running = user.start(['davit-env', ...(await writeModels(user, models('3'))), ...options])
    const journal = () => readFile(join(user.directory, 'journal'), 'utf8').catch(() => '')
    await eventually('that the service starts', async () => expect(await journal()).toContain('activate web 3'))
    running.process.kill('SIGINT')
    await eventually('that it was noticed', () => expect(running.stderr()).toContain('finishing what is running'))
    await user.run(['rm', 'hold-activate-web'])
    const { status, stderr } = await running.outcome
    expect([status, stderr]).toEqual([130, expect.stringContaining('davit-env: interrupted before davit-set')])
    expect([await take(), (await calls()).slice(-2), current()]).toEqual([
      ['deactivate web 1', 'activate web 3'],
      ['activate', 'unlock'],
      before,
    ])
    succeeded(await deploy(user, models('3'), { options }))
    expect(await take()).toEqual([])
    expect(current()).not.toBe(before)
    succeeded(await deploy(user, models('1'), { options }))
    expect([await take(), current()]).toEqual([['deactivate web 3', 'activate web 1'], before])
  })

  test('are read back by a coordinator that has lost everything', async () => {
    await calls()
    succeeded(await user.run(['mv', 'state', 'lost']))
    succeeded(await user.bash('mkdir state; [ ! -e lost/targets ] || mv lost/targets state/'))
    const options = ['--trust-programs', '--set', '--as', 'yaml', '--directory', 'recovered']
    const { stderr } = succeeded(await user.run(['davit-reconstruct', ...options, modelFile(user, 'infrastructure')]))
    expect(stderr).toContain('their packages are in the Nix store: deploy them with davit-env --store nix')
    succeeded(await deploy(user, models('1'), { options: ['--store', 'nix'] }))
    const files = ['services', 'infrastructure', 'distribution'].flatMap((name) => [
      `-${name[0]}`,
      `recovered/${name}.yaml`,
    ])
    succeeded(await user.run(['davit-env', ...files, '--store', 'nix']))
    expect(await take()).toEqual([])
  })

  test('are undeployed', async () => {
    succeeded(await user.run(['davit-env', '--undeploy', '-i', modelFile(user, 'infrastructure'), ...options]))
    expect((await take()).toSorted()).toEqual(['deactivate database 1', 'deactivate web 1'])
  })
})
