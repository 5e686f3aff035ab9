import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isMissing, reasonOf } from '@davit/files'
import { builtInModules, type LifecycleModule, modulesOf } from '@davit/modules'
import type { CarriedModule } from '@davit/target-runtime'

/** How a machine finds the module of a type. */
export interface ModuleChoice {
  /** Name of a module, or the path there of a module or of a package that provides a container. */
  readonly type: string
  /** Modules that are sent along. */
  readonly carried: readonly CarriedModule[]
}

export interface ModulesToUse {
  /** Directories of this machine with modules, which come before those that the other machine has. */
  readonly directories: readonly string[]
  /** File of this machine with the module. */
  readonly file?: string | undefined
}

/** Finds the module of a type on this machine, to send it along; there may be none. */
export async function findModule(type: string, { directories, file }: ModulesToUse): Promise<ModuleChoice> {
  if (file !== undefined) {
    const path = resolve(file)
    return { type: basename(path), carried: [carry(basename(path), await readOne(path), 'first')] }
  }
  if (type.includes('/')) return { type, carried: [] }
  return { type, carried: (await modulesToCarry(directories)).filter(({ name }) => name === type) }
}

/** All modules of this machine that take part in an activity. */
export async function modulesFor(activity: string, directories: readonly string[]): Promise<readonly CarriedModule[]> {
  const all = await modulesToCarry(directories)
  return all.filter(({ activities = '' }) => activities.split('\n').includes(activity))
}

async function modulesToCarry(directories: readonly string[]): Promise<readonly CarriedModule[]> {
  const [all, builtIn] = await Promise.all([modulesOf(directories), builtInModules()])
  const isOwn = (name: string, { script }: LifecycleModule) =>
    !Buffer.from(builtIn.get(name)?.script ?? []).equals(Buffer.from(script))
  return [...all].flatMap(([name, module]) => [carry(name, module, isOwn(name, module) ? 'first' : 'last')])
}

function carry(
  name: string,
  { script, activities }: Pick<LifecycleModule, 'script' | 'activities'>,
  precedence: CarriedModule['precedence'],
): CarriedModule {
  const text = activities.map((activity) => `${activity}\n`).join('')
  const hash = createHash('sha256').update(text).update('\0').update(script).digest('hex').slice(0, 32)
  return { name, hash, script: textOf(name, script), activities: text, precedence }
}

function textOf(name: string, script: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(script)
    if (!text.includes('\0')) return text
  } catch {
    // Said below.
  }
  throw new DavitError('not-text', `cannot send the module '${name}' along: it is not a text`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'copy it to that machine, and name its path there with --type',
  })
}

async function readOne(path: string): Promise<Pick<LifecycleModule, 'script' | 'activities'>> {
  try {
    const declared = await readFile(`${path}.activities`, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return DYSNOMIA
      throw error
    })
    return { script: await readFile(path), activities: declared.split('\n').filter((line) => line.trim() !== '') }
  } catch (cause) {
    throw new DavitError('no-input', `cannot read the module '${path}': ${reasonOf(cause)}`, {
      exitStatus: ExitStatus.noInput,
      hint: 'check the name of the file',
    })
  }
}

/** Activities of a module that does not declare them. */
const DYSNOMIA = 'activate\ndeactivate\nlock\nunlock\nsnapshot\nrestore\ncollect-garbage\nshell\n'
