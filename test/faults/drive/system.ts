import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { coordinator, type Coordinator, succeeded } from '../../harness/coordinator.ts'
import { bringUpHosts, type TestHosts } from '../../harness/hosts.ts'
import { infrastructureOf, type Models } from '../../harness/models.ts'
import { INFRASTRUCTURE } from './task.ts'

/** The steps. `failing` is an upgrade that fails and is rolled back. */
export const STEPS = ['install', 'failing', 'upgrade', 'undeploy'] as const
export type Step = (typeof STEPS)[number]
/** What can be deployed. */
export type Deployment = Step | 'nothing'

export function isStep(name: string): name is Step {
  return (STEPS as readonly string[]).includes(name)
}

/** Signals that request an orderly end. */
export const GRACEFUL = ['INT', 'TERM', 'HUP'] as const

/** The deployment that a step leads to. */
export interface Goal {
  /** Options of davit-env that name the manifest, and those that name its models. */
  readonly manifestOptions: readonly string[]
  readonly modelOptions: readonly string[]
  /** Options that have to be given again to a run that goes on from another coordinator. */
  readonly toldAnew: readonly string[]
  /** The manifest as text. */
  readonly text: string
  readonly profiles: ReadonlyMap<string, string>
  /** `TARGET:CONTAINER:KEY`, the module's name for an instance → name of the service. */
  readonly instances: ReadonlyMap<string, string>
}

/** Three hosts, a user who deploys to them, and the deployments. */
export interface System {
  readonly set: TestHosts
  readonly user: Coordinator
  /** PATH of the installation whose tools can be interrupted. */
  readonly faultyPath: string
  /** Variables for every command of the user. */
  readonly environment: Readonly<Record<string, string>>
  readonly temporary: string
  readonly storeDirectory: string
  readonly goals: Readonly<Record<Deployment, Goal>>
  remove(): Promise<void>
}

/** Option that a run which is resumed or aborted does not need. */
const TAKE_OVER = '--take-over'
const MODULES = fileURLToPath(new URL('modules', import.meta.url))
const COMPILED = fileURLToPath(new URL('compiled.cjs', import.meta.url))

export interface Installations {
  readonly prefix: string
  /** Another installation, whose tools can be interrupted. */
  readonly faulty: string
}

export async function makeSystem({ prefix, faulty }: Installations): Promise<System> {
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
      DAVIT_FAULT_COMPILED: join(faulty, 'compiled'),
      NODE_OPTIONS: `--require=${COMPILED}`,
      // A host that was interrupted stays away until the run is over.
      DAVIT_ANSWER_TIMEOUT: '20',
    }
    const faultyPath = `${join(faulty, 'bin')}:${user.path}`
    const goals = { ...(await makeGoals(user, set, environment)), nothing: NOTHING }
    return { set, user, faultyPath, environment, temporary, storeDirectory, goals, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const NOTHING: Goal = {
  manifestOptions: [],
  modelOptions: [],
  toldAnew: [],
  text: '',
  profiles: new Map(),
  instances: new Map(),
}

/** Writes a configuration with which ssh notices a cut network within seconds. */
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
  await user.write(INFRASTRUCTURE, infrastructure)
  const make = async (step: Step, options: readonly string[]): Promise<Goal> => {
    const file = `${step}.json`
    const architecture = `davit-normalize --modules ${MODULES} ${options.join(' ')}`
    const manifest = `davit-manifest --format json --modules ${MODULES}`
    succeeded(await user.bash(`${architecture} | ${manifest} > ${file}`, { environment }))
    const text = await readFile(join(user.directory, file), 'utf8')
    // Another coordinator, which has deployed nothing itself, may continue the undeployment.
    const others = step === 'undeploy' ? [TAKE_OVER] : step === 'upgrade' ? ['--delete-state'] : []
    const modelOptions = [...options, '--modules', MODULES, ...others]
    const toldAnew = others.filter((option) => option !== TAKE_OVER)
    return { ...goalIn(text), manifestOptions: ['-D', file, ...others], modelOptions, toldAnew }
  }
  const makeFrom = async (step: Step, { services, distribution }: Pick<Models, 'services' | 'distribution'>) => {
    await user.write(`${step}/services.yaml`, stringify(services, { aliasDuplicateObjects: false }))
    await user.write(`${step}/distribution.yaml`, distribution)
    const models = ['-s', `${step}/services.yaml`, '-d', `${step}/distribution.yaml`]
    return make(step, [...models, '-i', INFRASTRUCTURE])
  }
  return {
    install: await makeFrom('install', FIRST),
    failing: await makeFrom('failing', secondWith('broken')),
    upgrade: await makeFrom('upgrade', secondWith('1')),
    undeploy: await make('undeploy', ['--undeploy', '-i', INFRASTRUCTURE]),
  }
}

/** Services have state; that of `api` moves in the upgrade, which then deletes the old one. */
const service = (version: string, dependsOn: readonly string[] = []) => ({
  type: 'counted',
  deployState: true,
  dependsOn,
  // The build takes long enough to be interrupted.
  pkg: { build: { env: { version }, script: 'sleep 0.1; mkdir $out; printf "%s" "$version" > $out/version' } },
})

const FIRST = {
  services: {
    database: service('1'),
    api: service('1', ['database']),
    web: service('1', ['api']),
    other: service('1'),
    old: service('1', ['database']),
  },
  distribution: { database: ['fl1'], api: ['fl2'], web: ['fl3'], other: ['fl2'], old: ['fl3'] },
}

/** The upgraded system. Its service `web` is the last one to be started. */
function secondWith(version: string): Pick<Models, 'services' | 'distribution'> {
  const { old: _, ...kept } = FIRST.services
  return {
    services: {
      ...kept,
      api: service('2', ['database']),
      web: service(version, ['api']),
      fresh: service('1', ['database']),
    },
    distribution: { database: ['fl1'], api: ['fl3'], web: ['fl1'], other: ['fl2'], fresh: ['fl2'] },
  }
}

/** Whether a text is the manifest of a deployment; without services there may be none, or an empty one. */
export function isManifestOf({ text, instances }: Pick<Goal, 'text' | 'instances'>, manifest: string): boolean {
  if (text !== '' || instances.size > 0 || manifest === '') return text === manifest
  return (JSON.parse(manifest) as ManifestJson).serviceMappings.length === 0
}

interface ManifestJson {
  readonly profiles: Readonly<Record<string, string>>
  readonly services: Readonly<Record<string, { readonly name: string }>>
  readonly serviceMappings: readonly { readonly service: string; readonly target: string; readonly container: string }[]
}

function goalIn(text: string): Pick<Goal, 'text' | 'profiles' | 'instances'> {
  const { profiles, services, serviceMappings } = JSON.parse(text) as ManifestJson
  const instances = serviceMappings.map(({ service: key, target, container }) => {
    return [`${target}:${container}:${key}`, services[key]?.name ?? ''] as const
  })
  return { text, profiles: new Map(Object.entries(profiles)), instances: new Map(instances) }
}
