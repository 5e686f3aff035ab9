import { access, constants, copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AS_NOBODY } from '@davit/testing/nobody'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { HOSTS_POSSIBLE } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, modelFile, type Models } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'

describe.each(LANGUAGES)('a user without privileges whose targets are this machine, models in %s', (language) => {
  let user: Coordinator
  let environment: Record<string, string>

  beforeAll(async () => {
    user = await coordinator({ language, ...(HOSTS_POSSIBLE ? { as: AS_NOBODY } : {}) })
    // The environment of a user who sets no variables of davit.
    environment = {
      DAVIT_STATE_DIR: '',
      DAVIT_STORE_DIR: '',
      HOME: join(user.directory, 'home'),
      ...(await nodePath(user)),
    }
    const made = await user.run(['mkdir', 'home'])
    succeeded(made)
  })
  afterAll(() => user?.remove())

  // In the Nix language, targets are identified by being equal, so these differ in `side`.
  const place = (side: string) => ({
    properties: { hostname: 'localhost', side },
    clientInterface: 'local',
    numOfCores: 2,
  })
  const models = (version: string): Models => {
    const body = `echo "$1 $DAVIT_SERVICE $DAVIT_TARGET" >> "$journal"`
    const journal = join(user.directory, 'calls')
    const containers = { wrapper: { journal: join(user.directory, 'home/journal') } }
    return {
      services: {
        database: wrapper({ version, body, journal }),
        web: wrapper({ body, journal, env: { provider: '${database.name}' } }, { dependsOn: ['database'] }),
      },
      infrastructure: { back: { ...place('back'), containers }, front: { ...place('front'), containers } },
      distribution: { database: ['back'], web: ['front'] },
    }
  }
  const take = async () =>
    (await user.bash('cat home/journal; rm home/journal')).stdout
      .split('\n')
      .filter((line) => !/^(un)?lock|^$/.test(line))

  test('deploys to two of them, with state and store below his home', async () => {
    succeeded(await deploy(user, models('1'), { environment }))
    expect(await take()).toEqual(['activate database back', 'activate web front'])
    const { stdout } = await user.bash('find home -maxdepth 4 -type d | sort')
    expect(stdout).toContain('home/.local/state/davit')
  })

  test('sees the plan of an upgrade, and upgrades', async () => {
    const plan = await deploy(user, models('2'), { environment, options: ['--dry-run'] })
    expect(plan.stdout).toMatch(/^~ replace database in wrapper on back .*\n~ replace web in wrapper on front /)
    succeeded(await deploy(user, models('2'), { environment }))
    expect(await take()).toEqual([
      'deactivate web front',
      'deactivate database back',
      'activate database back',
      'activate web front',
    ])
  })

  test('undeploys', async () => {
    succeeded(await user.run(['davit-env', '--undeploy', '-i', modelFile(user, 'infrastructure')], { environment }))
    expect(await take()).toEqual(['deactivate web front', 'deactivate database back'])
  })

  test('deploys services, targets, containers, properties and parameters with names that all objects have', async () => {
    const at = join(user.directory, 'home/journal')
    const body = `[ "$1" != activate ] || { env | LC_ALL=C sort | sed -n 's/=value of / /p'; cat "$here/used"; } >> "${at}"`
    const journal = join(user.directory, 'calls')
    const called = (name: string) => wrapper({ body, journal, env: { used: '' } }, { name })
    const used = NAMES.map((name) => `\${${name}.name}`).join(' ')
    const web = wrapper({ body, journal, env: { used } }, { dependsOn: NAMES })
    const containers = table((container) => table((property) => `value of ${container} ${property}`))
    const models = {
      services: { ...table(called), web },
      infrastructure: table((name) => ({ ...place(name), containers })),
      distribution: {
        ...table((name) => [{ target: name, container: name }]),
        web: [{ target: '__proto__', container: 'toString' }],
      },
    }
    succeeded(await deploy(user, models, { environment, options: ['-p', '__proto__'] }))
    const sorted = NAMES.toSorted()
    const inside = (container: string) => sorted.map((property) => `${property} ${container} ${property}`)
    const { stdout } = await user.bash('cat home/journal')
    expect(
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .toSorted(),
    ).toEqual([...sorted.flatMap(inside), ...inside('toString'), NAMES.join(' ')].toSorted())
  })
})

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

function table<Value>(valueOf: (name: string) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)]))
}

/** Returns a PATH with a copy of node if the installed one is readable by root only. */
async function nodePath(user: Coordinator): Promise<Record<string, string>> {
  const { status } = await user.run(['node', '--version'])
  if (status === 0) return {}
  const directory = join(user.directory, 'node')
  await mkdir(directory, { mode: 0o755 })
  await copyFile(process.execPath, join(directory, 'node'))
  await access(join(directory, 'node'), constants.X_OK)
  return { PATH: `${directory}:${user.path}` }
}
