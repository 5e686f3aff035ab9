import { extname } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { SeparateModels } from './assemble-architecture.ts'
import type { ModelFiles } from './load-architecture.ts'
import { loadData } from './load-data.ts'
import { loadScripts } from './load-scripts.ts'
import { loadXml } from './load-xml.ts'
import type { Model } from './model.ts'
import { loadNix } from './nix/load-nix.ts'
import { together } from './problems.ts'

/** Loads files of one language together; `directory` is theirs to use until all models are evaluated. */
type Loader = (files: readonly string[], directory: string) => Promise<readonly Model[]>

const scripts: Loader = loadScripts
const data: Loader = (files) => allOf(files.map(loadData))

const LOADERS: ReadonlyMap<string, Loader> = new Map([
  ['.ts', scripts],
  ['.mts', scripts],
  ['.cts', scripts],
  ['.js', scripts],
  ['.mjs', scripts],
  ['.cjs', scripts],
  ['.yaml', data],
  ['.yml', data],
  ['.json', data],
  ['.xml', (files) => allOf(files.map(loadXml))],
  ['.nix', (files) => allOf(files.map(loadNix))],
])

export async function loadModel(file: string, directory: string): Promise<Model> {
  const [model] = (await loadFiles([file], directory)).values()
  if (model === undefined) throw new Error(`no loader gave a model for '${file}'`)
  return model
}

export type Models = SeparateModels | { readonly architecture: Model }

/** The models of the files, in the same places; all that cannot be read is said at once. */
export async function loadModels(files: ModelFiles, directory: string): Promise<Models> {
  const named = Object.entries<string | undefined>(files).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const models = await loadFiles(
    named.map(([, file]) => file),
    directory,
  )
  return Object.fromEntries(named.map(([role, file]) => [role, models.get(file)])) as unknown as Models
}

async function loadFiles(files: readonly string[], directory: string): Promise<ReadonlyMap<string, Model>> {
  const groups = new Map<Loader, string[]>()
  for (const file of new Set(files)) {
    const loader = LOADERS.get(extname(file)) ?? refuseUnknown
    groups.set(loader, [...(groups.get(loader) ?? []), file])
  }
  const models = await allOf([...groups].map(async ([load, group]) => load(group, directory)))
  return new Map(models.flat().map((model) => [model.file, model]))
}

/** The results of all, or all that went wrong. */
async function allOf<Result>(work: readonly Promise<Result>[]): Promise<readonly Result[]> {
  const outcomes = await Promise.allSettled(work)
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  const known = failures.filter((failure) => failure instanceof DavitError)
  if (failures.length > known.length) throw failures.find((failure) => !(failure instanceof DavitError))
  if (known.length > 0) throw together(known)
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function refuseUnknown([file]: readonly string[]): never {
  throw new DavitError('unsupported-language', `cannot tell the language of '${file}' by its name`, {
    exitStatus: ExitStatus.badDocument,
    hint: `names of models end in ${[...LOADERS.keys()].join(', ')}`,
  })
}
