import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runtimePart } from '@davit/target-runtime'

import { checkProcess } from './check-process.ts'
import { DIRECTORY } from './modules-directory.ts'
import { type LifecycleModule, readModules } from './read-modules.ts'

/** What davit checks on the coordinator in the components of its own modules. */
const CHECKS: Readonly<Record<string, NonNullable<LifecycleModule['checkComponent']>>> = { process: checkProcess }

/** Reads the modules that davit ships, each with the shared parts that it includes. */
export async function builtInModules(): Promise<ReadonlyMap<string, LifecycleModule>> {
  const modules = await readModules(DIRECTORY)
  const entries = [...modules].map(async ([name, module]): Promise<[string, LifecycleModule]> => {
    const checkComponent = CHECKS[name]
    const script = await withParts(module.script)
    return [name, { ...module, script, ...(checkComponent === undefined ? {} : { checkComponent }) }]
  })
  return new Map(await Promise.all(entries))
}

const INCLUDE = /^# include (?<part>[a-z-]+)$/gm

/** Parts that modules share with what davit itself runs on targets. */
const PARTS_OF_THE_RUNTIME: readonly string[] = ['safe-path']

/** Replaces each line `# include PART` by `shared/PART.sh` or a part of the runtime: a module is a single file on its target. */
async function withParts(script: Uint8Array): Promise<Uint8Array> {
  const text = new TextDecoder().decode(script)
  const names = [...text.matchAll(INCLUDE)].map(({ groups }) => groups?.['part'] ?? '')
  if (names.length === 0) return script
  const parts = await Promise.all(names.map(readPart))
  const texts = new Map(names.map((name, index) => [name, parts[index] ?? '']))
  return new TextEncoder().encode(text.replaceAll(INCLUDE, (_, name: string) => texts.get(name) ?? ''))
}

async function readPart(name: string): Promise<string> {
  if (PARTS_OF_THE_RUNTIME.includes(name)) return `${runtimePart(name)}\n`
  return await readFile(join(DIRECTORY, 'shared', `${name}.sh`), 'utf8')
}
