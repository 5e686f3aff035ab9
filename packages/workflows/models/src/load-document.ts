import { extname, resolve } from 'node:path'
import type { Path } from '@davit/diagnostics'
import { BuildModel, DeploymentModel, type Format, parseDocument, validateDocument } from '@davit/documents'
import { type ParseOptions } from '@davit/languages'
import { readTextFile, withTemporaryDirectory } from '@davit/files'
import { placeInProgram } from '@davit/nix'
import { functionContexts } from './reading/function-context.ts'
import { type ModelKind, refuseMistaken } from './reading/model-kinds.ts'
import { loadModel } from './languages/load-models.ts'
import { evaluateModel, type Model } from './reading/model.ts'
import type { NixOptions } from './languages/nix/nix-options.ts'
import { positionOf } from './languages/nix/positions.ts'
import { programOf, runProgram } from './languages/nix/run-program.ts'
import { memberOf } from './reading/part.ts'
import { showLike } from './languages/show-file.ts'

/** Loads a deployment model in any language; sections may be absent. */
export function loadDeploymentModel(file: string, options: NixOptions = {}): Promise<DeploymentModel> {
  return loadDocument({ kind: 'deployment', format: DeploymentModel }, file, options)
}

/** Loads a build model in any language. */
export function loadBuildModel(file: string, options: NixOptions = {}): Promise<BuildModel> {
  return loadDocument(BUILD, file, options)
}

/** Parses the text of a build model in JSON or XML. */
export function parseBuildModel(text: string, { file }: ParseOptions): BuildModel {
  return readDocument(BUILD, text, file)
}

const BUILD = { kind: 'build', format: BuildModel } as const

interface DocumentKind<Document> {
  readonly kind: ModelKind
  readonly format: Format<Document>
}

async function loadDocument<Document>(
  { kind, format }: DocumentKind<Document>,
  file: string,
  options: NixOptions,
): Promise<Document> {
  if (['.xml', '.json'].includes(extname(file))) return readDocument({ kind, format }, await readTextFile(file), file)
  return withTemporaryDirectory(options.environment ?? {}, async (directory) => {
    const model = await loadModel(file, directory)
    const evaluated = model.language === 'nix' ? await evaluateNix(model, format, options) : model
    const data = await evaluateModel(evaluated, { kind, context: functionContexts({}).contextFor(kind, {}) })
    const { placeOf, placeOfKey } = evaluated
    return validateDocument(format, data, { file, placeOf, placeOfKey })
  })
}

/** Parses a document; if it is a model of another kind, says so instead of listing everything that is missing. */
function readDocument<Document>({ kind, format }: DocumentKind<Document>, text: string, file: string): Document {
  try {
    return parseDocument(format, text, { file })
  } catch (error) {
    refuseMistaken([{ file, kind, value: parsedJson(text) }])
    throw error
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Evaluates a document in the Nix language; derivations are instantiated and become their output paths. */
async function evaluateNix(
  model: Model,
  { title }: Pick<Format<unknown>, 'title'>,
  options: NixOptions,
): Promise<Model> {
  const { file } = model
  const program = programOf('value', {
    input: { file: resolve(file), what: title, extraParams: '{}' },
    expressions: new Map(),
    showFile: showLike([file]),
    showTrace: options.showTrace,
  })
  const result = await runProgram(program, { ...options, store: 'read-write' })
  const positions = memberOf(result, 'positions')
  const placeOf = (path: Path) => {
    const position = positionOf(positions, path)
    return (position && placeInProgram(position, program)) ?? { file }
  }
  return { ...model, value: memberOf(result, 'value'), placeOf, placeOfKey: placeOf }
}
