import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DavitError, type Diagnostic, ExitStatus, type Finding } from '@davit/diagnostics'

import { withUtilities } from './utilities-of-dysnomia.ts'

export interface LifecycleModule {
  /** Content of the executable, usually a shell script. */
  readonly script: Uint8Array
  /** Activities that it is called for: the lines of NAME.activities, or those of every module of Dysnomia. */
  readonly activities: readonly string[]
  /** Finds what the module would reject or ignore in a component on this machine; modules of users have no such check. */
  readonly checkComponent?: (directory: string) => Promise<readonly Finding[]>
}

/** Reads every module of a directory, by name; throws with all problems of the directory at once. */
export async function readModules(directory: string): Promise<ReadonlyMap<string, LifecycleModule>> {
  const files = await listFiles(directory)
  const entries = await Promise.all(moduleNames(files).map((name) => readModule(directory, name, files)))
  const diagnostics = [...strayDeclarations(directory, files), ...entries.flatMap((entry) => entry.diagnostics)]
  if (diagnostics.length > 0) {
    throw new DavitError('invalid-modules', `cannot use the modules of '${directory}'`, {
      exitStatus: ExitStatus.badDocument,
      diagnostics,
    })
  }
  return new Map(entries.map(({ name, module }) => [name, module]))
}

interface Entry {
  readonly name: string
  readonly module: LifecycleModule
  readonly diagnostics: readonly Diagnostic[]
}

const DECLARATION = '.activities'
/** Not a module, but what modules of Dysnomia read. */
const UTILITIES = 'util'
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$/
const ACTIVITY = /^[a-z][a-z0-9-]*$/
const PROSE = /^(\.|README|LICENSE|COPYING|CHANGELOG)|\.md$/
/** Those of every module of Dysnomia, which declares nothing. */
export const DYSNOMIA_ACTIVITIES = [
  'activate',
  'deactivate',
  'lock',
  'unlock',
  'snapshot',
  'restore',
  'collect-garbage',
  'shell',
] as const

async function listFiles(directory: string): Promise<readonly string[]> {
  try {
    const names = (await readdir(directory)).filter((name) => !PROSE.test(name))
    const isFile = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).isFile()))
    return names.filter((_, index) => isFile[index]).toSorted()
  } catch (cause) {
    throw new DavitError('unreadable-modules', `cannot read the modules directory '${directory}'`, {
      exitStatus: ExitStatus.noInput,
      hint: 'name a directory with an executable file for each type of service',
      cause,
    })
  }
}

function moduleNames(files: readonly string[]): readonly string[] {
  return files.filter((file) => !file.endsWith(DECLARATION) && file !== UTILITIES)
}

function strayDeclarations(directory: string, files: readonly string[]): readonly Diagnostic[] {
  return files
    .filter((file) => file.endsWith(DECLARATION) && !files.includes(file.slice(0, -DECLARATION.length)))
    .map((file) => problem(join(directory, file), 'there is no module of this name in the directory'))
}

async function readModule(directory: string, name: string, files: readonly string[]): Promise<Entry> {
  const path = join(directory, name)
  const diagnostics: Diagnostic[] = []
  if (!NAME.test(name)) {
    diagnostics.push(problem(path, 'the name of a module may contain only letters, digits and _.+-'))
  }
  if (((await stat(path)).mode & 0o111) === 0) {
    diagnostics.push(problem(path, 'the module is not executable', `chmod +x '${path}'`))
  }
  const read = async (file: string) => {
    try {
      return await readFile(file)
    } catch (error) {
      diagnostics.push(problem(file, `it cannot be read: ${error instanceof Error ? error.message : String(error)}`))
      return new Uint8Array()
    }
  }
  const utilities = files.includes(UTILITIES) ? await read(join(directory, UTILITIES)) : undefined
  const script = await withUtilities(await read(path), utilities)
  const declaration = files.includes(`${name}${DECLARATION}`)
    ? parseActivities(`${path}${DECLARATION}`, new TextDecoder().decode(await read(`${path}${DECLARATION}`)))
    : { activities: DYSNOMIA_ACTIVITIES, diagnostics: [] }
  return {
    name,
    module: { script, activities: declaration.activities },
    diagnostics: [...diagnostics, ...declaration.diagnostics],
  }
}

function parseActivities(file: string, text: string) {
  const lines = text.split('\n').map((line, index) => ({ activity: line.trim(), line: index + 1 }))
  const declared = lines.filter(({ activity }) => activity !== '')
  return {
    activities: declared.map(({ activity }) => activity),
    diagnostics: declared
      .filter(({ activity }) => !ACTIVITY.test(activity))
      .map(({ activity, line }) => problem({ file, line }, `'${activity}' is not the name of an activity`)),
  }
}

function problem(place: string | { readonly file: string; readonly line: number }, message: string, hint?: string) {
  return {
    severity: 'error',
    message,
    place: typeof place === 'string' ? { file: place } : place,
    ...(hint === undefined ? {} : { hint }),
  } satisfies Diagnostic
}
