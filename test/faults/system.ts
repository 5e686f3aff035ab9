import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type TestHosts } from '../harness/hosts.ts'
import { infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { installFaulty } from './build.ts'

export const STEPS = ['install', 'upgrade', 'undeploy'] as const
export type Step = (typeof STEPS)[number]

/** What a step leads to. */
export interface Goal {
  /** The manifest's file, and its text. */
  readonly file: string
  readonly text: string
  readonly profiles: ReadonlyMap<string, string>
  /** `TARGET:CONTAINER:KEY`, as the module names what it runs → name of the service. */
  readonly instances: ReadonlyMap<string, string>
}

/** Three hosts, somebody who deploys to them, and what he deploys. */
export interface System {
  readonly set: TestHosts
  readonly user: Coordinator
  /** PATH of the installation whose tools can be interrupted. */
  readonly faultyPath: string
  /** Of all that the user runs. */
  readonly environment: Readonly<Record<string, string>>
  readonly temporary: string
  readonly storeDirectory: string
  readonly goals: Readonly<Record<Step | 'nothing', Goal>>
  remove(): Promise<void>
}

const MODULES = fileURLToPath(new URL('modules', import.meta.url))

export async function makeSystem(prefix: string): Promise<System> {
  const set = await bringUpHosts(3, { prefix: 'fl' })
  const user = await coordinator({ hosts: set, prefix })
  // A host that boots has an empty /tmp.
  const lasting = await mkdtemp('/var/tmp/davit-faults-')
  const remove = async () => {
    await set.down()
    await user.run(['chmod', '-R', 'u+w', lasting])
    await rm(lasting, { recursive: true, force: true })
    await user.remove()
  }
  try {
    const temporary = join(user.directory, 'tmp')
    await mkdir(temporary)
    await chmod(lasting, 0o755)
    const storeDirectory = join(lasting, 'store')
    const environment = {
      TMPDIR: temporary,
      DAVIT_STORE_DIR: storeDirectory,
      DAVIT_SSH_CONFIG: await patienceOf(user, set),
    }
    const faulty = join(user.directory, 'faulty')
    await installFaulty(prefix, faulty)
    const faultyPath = `${join(faulty, 'bin')}:${user.path}`
    const goals = { ...(await makeGoals(user, set, environment)), nothing: NOTHING }
    return { set, user, faultyPath, environment, temporary, storeDirectory, goals, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

export const NOTHING: Goal = { file: '', text: '', profiles: new Map(), instances: new Map() }

/** A network that is cut is noticed after seconds. */
async function patienceOf(user: Coordinator, set: TestHosts): Promise<string> {
  const file = join(user.directory, 'ssh_config')
  const options = ['Host *', '  ServerAliveInterval 1', '  ServerAliveCountMax 2', '  ConnectTimeout 2']
  await writeFile(file, [await readFile(join(set.directory, 'ssh_config'), 'utf8'), ...options, ''].join('\n'))
  return file
}

async function makeGoals(
  user: Coordinator,
  { hosts }: TestHosts,
  environment: System['environment'],
): Promise<Record<Step, Goal>> {
  const infrastructure = infrastructureOf(hosts, { containers: { counted: {} }, numOfCores: 2 })
  const make = async (step: Step, normalize: readonly string[]): Promise<Goal> => {
    const file = `${step}.json`
    const architecture = `davit-normalize ${normalize.join(' ')}`
    const manifest = `davit-manifest --format json --modules ${MODULES}`
    succeeded(await user.bash(`${architecture} | ${manifest} > ${file}`, { environment }))
    return readGoal(join(user.directory, file))
  }
  const service = (version: string, dependsOn: readonly string[] = []) => ({
    type: 'counted',
    dependsOn,
    pkg: { build: { env: { version }, script: 'mkdir $out; printf "%s" "$version" > $out/version' } },
  })
  const first: Models = {
    infrastructure,
    services: {
      database: service('1'),
      api: service('1', ['database']),
      web: service('1', ['api']),
      other: service('1'),
      old: service('1', ['database']),
    },
    distribution: { database: ['fl1'], api: ['fl2'], web: ['fl3'], other: ['fl2'], old: ['fl3'] },
  }
  const { old: _, ...kept } = first.services
  const second: Models = {
    infrastructure,
    services: { ...kept, api: service('2', ['database']), fresh: service('1', ['database']) },
    distribution: { database: ['fl1'], api: ['fl3'], web: ['fl1'], other: ['fl2'], fresh: ['fl2'] },
  }
  const install = await make('install', await writeModels(user, first))
  const upgrade = await make('upgrade', await writeModels(user, second))
  return { install, upgrade, undeploy: await make('undeploy', ['--undeploy', '-i', 'infrastructure.yaml']) }
}

interface ManifestJson {
  readonly profiles: Readonly<Record<string, string>>
  readonly services: Readonly<Record<string, { readonly name: string }>>
  readonly serviceMappings: readonly { readonly service: string; readonly target: string; readonly container: string }[]
}

async function readGoal(file: string): Promise<Goal> {
  const text = await readFile(file, 'utf8')
  const { profiles, services, serviceMappings } = JSON.parse(text) as ManifestJson
  const instances = serviceMappings.map(({ service, target, container }) => {
    return [`${target}:${container}:${service}`, services[service]?.name ?? ''] as const
  })
  return { file, text, profiles: new Map(Object.entries(profiles)), instances: new Map(instances) }
}
