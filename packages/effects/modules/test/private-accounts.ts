import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { until } from '@davit/testing/wait'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Outcome, shippedModule } from './scene.ts'
import type { Stateful } from './stateful.ts'

/** Files in which a program that makes accounts reads or writes. */
const FILES = [
  'alternatives',
  'passwd',
  'group',
  'shadow',
  'gshadow',
  'subuid',
  'subgid',
  'login.defs',
  'nsswitch.conf',
  'pam.d',
  'ld.so.cache',
]

/** From which on accounts of a test are numbered. */
let numbers = 30_000

/** Whether a test can have accounts of its own: they are in a mount namespace. */
export const noPrivateAccounts = spawnSync('unshare', ['--mount', 'true']).status !== 0
if (noPrivateAccounts) console.warn('SKIPPED: tests with accounts, since only root can make a mount namespace')

/** The files of accounts of a scene, in a mount namespace, in which its module is called. */
export class PrivateAccounts {
  private readonly scene: Stateful
  private readonly module: string
  private readonly directory: string
  private readonly holder: ChildProcess

  private constructor(scene: Stateful, module: string) {
    this.scene = scene
    this.module = module
    this.directory = scene.make('etc')
    for (const name of FILES) {
      if (existsSync(join('/etc', name))) cpSync(join('/etc', name), join(this.directory, name), { recursive: true })
    }
    // Processes of other namespaces count as those of a user with the same number.
    numbers += 10
    writeFileSync(join(this.directory, 'login.defs'), `UID_MIN ${numbers}\nGID_MIN ${numbers}\n`)
    const ready = join(scene.directory, 'namespace')
    const script = `mount --bind '${this.directory}' /etc && { : >'${ready}'; exec sleep 1000; }`
    this.holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script], {
      env: { ...process.env, ...scene.environment },
      stdio: 'inherit',
    })
  }

  static async of(scene: Stateful, module = 'sysvinit-script'): Promise<PrivateAccounts> {
    const accounts = new PrivateAccounts(scene, module)
    await until(() => existsSync(join(scene.directory, 'namespace')))
    return accounts
  }

  /** Calls an activity of a component, by default that of the scene, which `key` makes another one. */
  call(activity: string, { component = this.scene.component, key = 'key1', properties = {} } = {}): Promise<Outcome> {
    const argv = [shippedModule(this.module), activity, component]
    return this.scene.run(
      ['-c', 'exec /usr/bin/setsid -w /usr/bin/nsenter -m -t "$0" sh "$@"', String(this.holder.pid), ...argv],
      {
        ...this.scene.properties,
        ...properties,
        DAVIT_KEY: key,
      },
    )
  }

  async succeed(activity: string, options: { component?: string; key?: string } = {}): Promise<void> {
    const { status, stderr } = await this.call(activity, options)
    if (status !== 0 || stderr !== '') throw new Error(`${activity} ended with ${status}: ${stderr}`)
  }

  /** The fields of an account, or nothing. */
  find(file: 'passwd' | 'group' | 'shadow', name: string): readonly string[] | undefined {
    const lines = this.read(file).split('\n')
    return lines.map((line) => line.split(':')).find(([first]) => first === name)
  }

  read(file: string): string {
    return readFileSync(join(this.directory, file), 'utf8')
  }

  add(file: string, line: string): void {
    writeFileSync(join(this.directory, file), `${line}\n`, { flag: 'a' })
  }
}

/** Makes another component with these files. */
export function otherComponent(scene: Stateful, name: string, files: Readonly<Record<string, string>>): string {
  const component = join(scene.directory, name)
  mkdirSync(component)
  for (const [path, text] of Object.entries(files)) scene.write(join(component, path), text)
  return component
}
