import { DavitError, ExitStatus } from '@davit/diagnostics'
import { grouped } from '@davit/languages'
import { LANGUAGES, languageOf, type ModelLanguage } from './language-of.ts'
import { loadData, modelOfInput } from './load-data.ts'
import { loadScripts } from './load-scripts.ts'
import { loadXml } from './load-xml.ts'
import type { Model, ModelSource } from '../reading/model.ts'
import { loadNix } from './nix/load-nix.ts'
import { together } from '../reading/problems.ts'
import { type ByRole, mapRoles, rolesIn } from '../reading/roles.ts'

/** Loads files of one language together; a loader may use `directory` until all models are evaluated. */
type Loader = (files: readonly string[], directory: string) => Promise<readonly Model[]>

const data: Loader = (files) => allOf(files.map(loadData))

const LOADERS: Readonly<Record<ModelLanguage, Loader>> = {
  script: loadScripts,
  yaml: data,
  json: data,
  xml: (files) => allOf(files.map(loadXml)),
  nix: (files) => allOf(files.map(loadNix)),
}

export async function loadModel(file: string, directory: string): Promise<Model> {
  return modelOf(await loadFiles([file], directory), file)
}

/** A model in JSON that comes from standard input. */
export interface GivenInput extends ModelSource {
  readonly workingDirectory: string
}

export interface ModelsOrigin {
  /** For what loaders write; it stays until all models are evaluated. */
  readonly directory: string
  /** Reads standard input, which `-` names; without it, `-` is refused like other names without a language. */
  readonly readStandardInput?: (() => Promise<GivenInput>) | undefined
}

/** Loads the files of all roles; reports all that cannot be read together. */
export async function loadModels(
  files: ByRole<string>,
  { directory, readStandardInput }: ModelsOrigin,
): Promise<ByRole<Model>> {
  const named = rolesIn(files).map(([, file]) => file)
  const isRead = readStandardInput !== undefined && named.includes(STANDARD_INPUT)
  const models = await loadFiles(isRead ? named.filter((file) => file !== STANDARD_INPUT) : named, directory)
  if (!isRead) return mapRoles(files, (file) => modelOf(models, file))
  const { workingDirectory, ...source } = await readStandardInput()
  const input = modelOfInput(source, workingDirectory)
  return mapRoles(files, (file) => (file === STANDARD_INPUT ? input : modelOf(models, file)))
}

const STANDARD_INPUT = '-'

function modelOf(models: ReadonlyMap<string, Model>, file: string): Model {
  const model = models.get(file)
  if (model === undefined) throw new Error(`no loader gave a model for '${file}'`)
  return model
}

async function loadFiles(files: readonly string[], directory: string): Promise<ReadonlyMap<string, Model>> {
  const groups = grouped(new Set(files), (file) => {
    const language = languageOf(file)
    return language === undefined ? refuseUnknown : LOADERS[language]
  })
  const models = await allOf([...groups].map(async ([load, group]) => load(group, directory)))
  return new Map(models.flat().map((model) => [model.file, model]))
}

/** Returns all results, or throws all failures together. */
async function allOf<Result>(work: readonly Promise<Result>[]): Promise<readonly Result[]> {
  const outcomes = await Promise.allSettled(work)
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  const known = failures.filter((failure) => failure instanceof DavitError)
  if (failures.length > known.length) throw failures.find((failure) => !(failure instanceof DavitError))
  if (known.length > 0) throw together(known)
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function refuseUnknown(files: readonly string[]): never {
  throw together(files.map(unknownLanguage))
}

function unknownLanguage(file: string): DavitError {
  return new DavitError('unsupported-language', `cannot tell the language of '${file}' from its name`, {
    exitStatus: ExitStatus.badDocument,
    hint: `names of models must end in one of ${[...LANGUAGES.keys()].join(', ')}`,
  })
}
