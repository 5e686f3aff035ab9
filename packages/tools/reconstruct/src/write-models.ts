import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { makeDirectories, writeFileAtomic } from '@davit/files'
import { writeNix, writeYaml } from '@davit/languages'
import { writeProgram } from '@davit/models'
import type { RecoveredModels, RecoveredService } from '@davit/recovery'

import type { ModelLanguage } from './model-languages.ts'

const MODELS = ['services', 'infrastructure', 'distribution'] as const
type ModelName = (typeof MODELS)[number]

const EXTENSIONS = { yaml: 'yaml', typescript: 'ts', nix: 'nix' } as const

/** Writes a file for each model, and returns their paths. Throws 'would-overwrite' rather than replace one. */
export async function writeModels(
  models: RecoveredModels,
  language: ModelLanguage,
  directory: string,
): Promise<readonly string[]> {
  const files = MODELS.map((name) => ({ name, path: join(directory, `${name}.${EXTENSIONS[language]}`) }))
  const present = files.filter(({ path }) => existsSync(path)).map(({ path }) => `'${path}'`)
  if (present.length > 0) {
    throw new DavitError('would-overwrite', `${present.join(', ')} would be overwritten`, {
      exitStatus: ExitStatus.cannotCreate,
      hint: 'name another directory with --directory',
    })
  }
  makeDirectories(resolve(directory), 0o755)
  for (const { name, path } of files) {
    // One after the other, so that the first that fails is the only one.
    // oxlint-disable-next-line no-await-in-loop
    await writeFileAtomic(path, WRITERS[language](name, models))
  }
  return files.map(({ path }) => path)
}

const WRITERS: Readonly<Record<ModelLanguage, (name: ModelName, models: RecoveredModels) => string>> = {
  yaml: (name, models) => writeYaml(models[name]),
  typescript: (name, models) => {
    const definition = `define${name[0]?.toUpperCase()}${name.slice(1)}`
    return writeProgram({ definition }, models[name])
  },
  nix: (name, models) =>
    name === 'services' ? `{ ... }:\n\n${servicesInNix(models)}\n` : `${writeNix(models[name])}\n`,
}

/** Begins texts that are written as expressions. No text of a model contains it. */
const MARK = '\u0000'

/** In Nix, services have names, and packages with inter-dependencies are functions of these. */
function servicesInNix({ services }: RecoveredModels): string {
  const written = [...services].map(
    ([name, service]) => [name, { name, ...service, pkg: packageInNix(service) }] as const,
  )
  return writeNix(new Map(written), {
    expressionOf: (text) => (text.startsWith(MARK) ? text.slice(MARK.length) : undefined),
  })
}

function packageInNix({ pkg, dependsOn, connectsTo }: RecoveredService): string {
  const isFunction = dependsOn !== undefined || connectsTo !== undefined
  return `${MARK}${isFunction ? '_: ' : ''}builtins.storePath "${pkg.storePath}"`
}
