import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { installedShells as shellsOfTargets, type Shell } from '@davit/testing/shells'
import { afterAll } from 'vitest'

import { builtInModules } from '../src/modules.ts'

const shipped = await builtInModules()

export const FOREVER = '#!/bin/sh\necho up\nexec sleep 1000\n'

/** The files of a component with these settings of its process. */
export function configured(settings: string, files: Readonly<Record<string, string>> = {}) {
  return { 'etc/dysnomia/process/web': settings, ...files }
}

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Directory of the test file that runs. */
let scratch: string | undefined

function scratchRoot(): string {
  if (scratch === undefined) throw new Error('only a test file that calls installedShells() has a directory')
  return scratch
}

/** Shells of this machine; makes a directory for scenes until the tests of the file are over. */
export function installedShells(): readonly Shell[] {
  scratch = mkdtempSync(join(tmpdir(), 'davit-modules-'))
  afterAll(cleanUp)
  return shellsOfTargets()
}

/** Writes a module that davit ships, as it is on a target, and returns its path. */
export function shippedModule(name: string): string {
  const path = join(scratchRoot(), 'modules', name)
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, shipped.get(name)?.script ?? '', { mode: 0o755 })
  }
  return path
}

/** A directory for one test, with a component in it made of files by path; those with `#!` are executable. */
export class Scene {
  readonly directory = mkdtempSync(join(scratchRoot(), 'scene-'))
  readonly component = join(this.directory, '0123456789abcdef-web app')
  readonly log = join(this.directory, 'log/web.log')
  readonly record = join(this.directory, 'run/process/process/key1')
  private readonly shell: Shell

  constructor(shell: Shell, files: Readonly<Record<string, string>>) {
    this.shell = shell
    for (const [path, text] of Object.entries(files)) this.write(join(this.component, path), text)
    mkdirSync(join(this.directory, 'run'))
    mkdirSync(join(this.directory, 'log'))
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    if (text.startsWith('#!')) chmodSync(path, 0o755)
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8')
  }

  readonly environment = {
    DAVIT_RUN_DIR: join(this.directory, 'run'),
    DAVIT_LOG_DIR: join(this.directory, 'log'),
    DAVIT_SERVICE: 'web',
    DAVIT_KEY: 'key1',
    DYSNOMIA_STATEDIR: this.directory,
    SCENE: this.directory,
  }

  /** Ends when the module has ended and nobody holds its output open any more. */
  call(activity: string, properties: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return this.run([shippedModule('process'), activity, this.component], properties)
  }

  run(argv: readonly string[], properties: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return runShell(this.shell, argv, { ...this.environment, ...properties })
  }

  /** Starts a module without waiting for it. */
  begin(argv: readonly string[], properties: Readonly<Record<string, string>> = {}) {
    return spawn('sh', argv, {
      env: { ...this.environment, ...properties, PATH: this.shell.path },
      stdio: 'ignore',
      detached: true,
    })
  }

  /** The pid of the program that the module recorded. */
  pid(): number {
    return Number(readFileSync(this.record, 'utf8').split(' ')[3])
  }

  pidIn(path: string): number {
    return Number(this.read(path))
  }
}

/** A directory with programs of the test, by name. */
export function scratchPath(programs: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(scratchRoot(), 'path-'))
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(directory, name), text, { mode: 0o755 })
  return directory
}

export function runShell(
  shell: Shell,
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  // More pipes than the usual three: none of them may reach what the module starts.
  const child = spawn('sh', argv, {
    env: { PATH: shell.path, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, ...output }))
  })
}

/** Ends whatever a failed test left running, known by its environment or its directory, and removes all files. */
function cleanUp(): void {
  const root = scratchRoot()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // Servers that set the title of their process overwrite their environment.
      const marks = readFileSync(`/proc/${pid}/environ`, 'latin1') + readlinkSync(`/proc/${pid}/cwd`)
      if (marks.includes(root)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
  rmSync(root, { recursive: true, force: true })
}

/** The logs that a module names, a line each. */
export async function logsOf(
  scene: Scene,
  properties: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { status, stdout, stderr } = await scene.call('logs', properties)
  if (status !== 0 || stderr !== '') throw new Error(`logs ended with ${status}: ${stderr}`)
  return stdout.split('\n').filter((line) => line !== '')
}
