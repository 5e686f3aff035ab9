import { dirname, extname, resolve } from 'node:path'
import { DavitError, ExitStatus, type Path } from '@davit/diagnostics'
import { emptyDocument, parseDocument, PartialInfrastructure } from '@davit/documents'
import { parseData } from '@davit/languages'
import type { Model, ModelSource } from '../reading/model.ts'
import { memberOf } from '../reading/part.ts'
import { readModelText } from './read-model-text.ts'

/** Loads a model in YAML or JSON. */
export async function loadData(file: string): Promise<Model> {
  const language = extname(file) === '.json' ? 'json' : 'yaml'
  const text = await readModelText(file)
  const path = resolve(file)
  return modelOfData({ file, text }, { language, path, directory: dirname(path) })
}

/** Makes a model of JSON that was read from standard input; its relative paths start from the working directory. */
export function modelOfInput({ file, text }: ModelSource, workingDirectory: string): Model {
  if (text.trim() === '') throw emptyDocument(file)
  return modelOfData({ file, text }, { language: 'json', path: file, directory: workingDirectory })
}

interface DataOrigin {
  readonly language: 'json' | 'yaml'
  /** Absolute path of the file, or what stands for it. */
  readonly path: string
  /** Directory that relative paths start from. */
  readonly directory: string
}

function modelOfData({ file, text }: ModelSource, { language, path, directory }: DataOrigin): Model {
  const { value, placeOf, placeOfKey, writtenAt } = parseData(text, { file, language })
  const sources = () => [{ file: path, text }]
  const model = { file, sources, directory, value, placeOf, placeOfKey, writtenAt, failureOf: dataFailure }
  const document = documentOf(value)
  if (document === undefined) return model
  if (document !== PartialInfrastructure.name || language === 'yaml') throw noModel(file, document)
  parseDocument(PartialInfrastructure, text, { file })
  const inFile = (path: Path) => [document, ...path]
  return {
    ...model,
    value: memberOf(value, document),
    placeOf: (path) => placeOf(inFile(path)),
    placeOfKey: (path) => placeOfKey(inFile(path)),
    writtenAt: (path) => writtenAt(inFile(path)),
  }
}

/** Models that are data run no code: every error is davit's own. */
export function dataFailure(thrown: unknown): never {
  throw thrown
}

/** Kind of document that the value states; in a model, members of these names would be tables. */
function documentOf(value: unknown): string | undefined {
  const [document, version] = [memberOf(value, 'document'), memberOf(value, 'version')]
  return typeof document === 'string' && typeof version === 'number' ? document : undefined
}

function noModel(file: string, document: string): DavitError {
  return new DavitError('not-a-model', `'${file}' is not a model: it is a document of the kind '${document}'`, {
    exitStatus: ExitStatus.badDocument,
    hint: HINTS.get(document) ?? "remove 'document' and 'version' from models",
  })
}

const HINTS: ReadonlyMap<string, string> = new Map([
  [
    'manifest',
    "pass it to davit-manifest --deployment or a later tool; its infrastructure is the member 'infrastructure'",
  ],
  ['architecture', 'pass it to davit-manifest: davit-normalize makes it from models'],
  ['stack', 'leave out --skip-codegen, so that davit-compile-stack makes a model of it'],
])
