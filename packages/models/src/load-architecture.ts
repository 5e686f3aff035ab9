import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Diagnostic } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { withTemporaryDirectory } from '@davit/files'
import type { ArchitectureModel } from '@davit/normalization'
import { assembleArchitecture } from './assemble-architecture.ts'
import { type ExtraParameters, parametersForModels } from './extra-parameters.ts'
import { type FunctionContexts, functionContexts } from './function-context.ts'
import { type GivenModel, type ModelKind, refuseMistaken } from './model-kinds.ts'
import { loadModels, type Models } from './load-models.ts'
import type { Model } from './model.ts'
import type { NixOptions } from './nix/nix-options.ts'
import { withNix } from './nix/with-nix.ts'
import { collectingProblems } from './problems.ts'
import { readArchitecture } from './read-architecture.ts'

/** Files of models. Without services, an architecture that only installs packages, or nothing at all. */
export type ModelFiles =
  | {
      readonly infrastructure: string
      readonly services?: string
      readonly distribution?: string
      readonly packages?: string
    }
  | { readonly architecture: string }

export interface LoadOptions extends NixOptions {
  /** The coordinator's platform, for targets that name none. */
  readonly system: System
  /** What functions of models get beside their own arguments. Paths in the Nix language are relative to the working directory. */
  readonly extraParams?: ExtraParameters | undefined
  /** The property by which targets are told that say no other; `hostname` when absent. */
  readonly targetProperty?: string
}

/** What the models are evaluated with. */
export interface AssemblyOptions extends Pick<FunctionContexts, 'contextFor'> {
  readonly system: System
  readonly problems: Diagnostic[]
}

/** What all models say together. Throws 'invalid-model' with everything that is wrong in form, or what stopped a model. */
export async function loadArchitecture(files: ModelFiles, options: LoadOptions): Promise<ArchitectureModel> {
  return withTemporaryDirectory(await realpath(tmpdir()), async (directory) => {
    const loaded = await loadModels(files, directory)
    const parameters = await parametersForModels(options.extraParams, { ...options, needsValues: needsValues(loaded) })
    const { contextFor, noteNames, unread } = functionContexts(parameters.values)
    const models = withNix(loaded, { targetProperty: 'hostname', ...options, parameters, noteNames })
    refuseMistaken(evaluated(loaded))
    const { result, warnings } = await collectingProblems((problems) => {
      const assembly = { system: options.system, contextFor, problems }
      if ('architecture' in models) return readArchitecture(models.architecture, assembly)
      return assembleArchitecture(models, assembly)
    })
    return { ...result, warnings, lateWarnings: unread }
  })
}

/** Where no model is in their language either, they are evaluated to see whether they are parameters at all. */
function needsValues(loaded: Models): boolean {
  const models = modelsIn(loaded)
  return models.some(({ value }) => typeof value === 'function') || models.every(({ language }) => language !== 'nix')
}

function modelsIn(loaded: Models): readonly Model[] {
  return Object.values<Model | undefined>({ ...loaded }).filter((model) => model !== undefined)
}

/** Those that are known as they are: all of them are told at once when they are mixed up. */
function evaluated(loaded: Models): readonly GivenModel[] {
  return Object.entries<Model | undefined>({ ...loaded }).flatMap(([role, model]) =>
    model === undefined || typeof model.value === 'function' || model.language === 'nix'
      ? []
      : [{ file: model.file, kind: role as ModelKind, value: model.value }],
  )
}
