import { traced } from '@davit/diagnostics'
import type { Architecture, ModelFile, System } from '@davit/documents'
import { type GivenSource, loadArchitecture, type ModelFiles } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { type ArchitectureModel, architectureOf, normalizeModel } from '@davit/normalization'
import { currentSystem, defaultStore, openStore } from '@davit/store'
import { isHere } from '@davit/target'
import type { ArgumentsOf, Input, Run } from '@davit/tool'

import type { description } from './description.ts'
import { modelFilesIn } from './model-files.ts'
import { modelFilesOf } from './model-options.ts'
import { storeKindFor } from './store-kind.ts'
import { typesWithoutModule } from './types-without-module.ts'

export type NormalizeOptions = Omit<ArgumentsOf<typeof description.options, Record<never, never>>, 'output' | 'origin'>

export interface ModelTerms extends NormalizeOptions {
  /** Reads the model that a file `-` stands for. */
  readonly readStandardInput: () => Promise<Input>
  /** Whether the files of the models are kept. */
  readonly keepsFiles: boolean
}

export interface EvaluatedModels {
  readonly model: ArchitectureModel
  readonly files: ModelFiles
  readonly system: System
  /** The files that were read, for the generation that is made from them. */
  readonly modelFiles: () => readonly ModelFile[]
}

/** Evaluates the models that options name. */
export async function evaluateModels(options: ModelTerms, run: Run): Promise<EvaluatedModels> {
  const { environment, report, trace, workingDirectory } = run
  const system = currentSystem(environment)
  const files = modelFilesOf(options)
  let sources: readonly GivenSource[] = []
  const loading = {
    system,
    environment,
    get signal() {
      return run.signal
    },
    report,
    extraParams: options.extraParams,
    targetProperty: options.targetProperty,
    showTrace: options.showTrace ?? false,
    readStandardInput: async () => ({ ...(await options.readStandardInput()), workingDirectory }),
    tellSources: options.keepsFiles ? (read: readonly GivenSource[]) => (sources = read) : undefined,
  }
  const model = await traced(trace, { kind: 'work', name: 'evaluate models' }, () => loadArchitecture(files, loading))
  return { model, files, system, modelFiles: () => modelFilesIn(sources) }
}

/** Makes an architecture of models: fills in what they leave open, and instantiates their packages. */
export async function normalize(
  { model, files, system }: EvaluatedModels,
  options: NormalizeOptions,
  { report, trace, environment, privileged }: Run,
): Promise<Architecture> {
  const timed = <Result>(name: string, work: () => Result | Promise<Result>) =>
    traced(trace, { kind: 'work', name }, work)
  const { interface: clientInterface, targetProperty } = options
  const onlyLocalTargets = [...model.infrastructure.values()].every((target) =>
    isHere({ clientInterface: target.clientInterface ?? clientInterface }),
  )
  const kind = storeKindFor(model, { wanted: options.store, files, system, clientInterface })
  const store = await openStore(defaultStore(kind, environment, { privileged, onlyLocalTargets }), { environment })
  const normalization = {
    clientInterface,
    targetProperty,
    deployState: options.deployState ?? false,
    system,
    store: store.reference,
  }
  const normalized = await timed('normalize', () => normalizeModel(model, normalization))
  const modules = [...(await modulesOf(options.modules)).keys()]
  const strange = typesWithoutModule(normalized.architecture, { modules, placeOf: (path) => model.placeOf(path) })
  for (const diagnostic of [...normalized.warnings, ...strange]) report({ kind: 'diagnostic', diagnostic })
  const packages = await timed('instantiate packages', () => store.instantiate(normalized.packageRequests))
  return architectureOf(normalized, packages)
}
