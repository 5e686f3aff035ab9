import type { System } from '@davit/documents'
import { withTemporaryDirectory } from '@davit/files'
import type { ArchitectureModel } from '@davit/normalization'
import { assembleArchitecture } from './assemble-architecture.ts'
import { type ExtraParameters, parametersForModels } from './languages/extra-parameters.ts'
import { functionContexts } from './reading/function-context.ts'
import { type GivenModel, refuseMistaken } from './reading/model-kinds.ts'
import { type GivenSource, givenSources } from './given-sources.ts'
import { loadModels, type ModelsOrigin } from './languages/load-models.ts'
import type { Model } from './reading/model.ts'
import type { NixOptions } from './languages/nix/nix-options.ts'
import { withNix } from './languages/nix/with-nix.ts'
import { collectingProblems } from './reading/problems.ts'
import { readArchitecture } from './read-architecture.ts'
import { type ByRole, rolesIn } from './reading/roles.ts'

/**
 * Files of models: an architecture alone, or an infrastructure with others. Without services, only packages are installed, or
 * nothing is deployed.
 */
export type ModelFiles = ByRole<string>

export interface LoadOptions extends NixOptions {
  /** The coordinator's system, for targets that name none. */
  readonly system: System
  /** Additional arguments for functions of models. Paths in the Nix language are relative to the working directory. */
  readonly extraParams?: ExtraParameters | undefined
  /** Target property of targets that name none; `hostname` when absent. */
  readonly targetProperty?: string
  /** Free attributes of services that are needed; in the Nix language, others are read only where davit needs them itself. */
  readonly freeAttributes?: readonly string[] | undefined
  /** Gets the value of the infrastructure model, with attributes that davit does not read. */
  readonly tellTargets?: ((targets: unknown) => void) | undefined
  /** Gets what was read, before it is evaluated. */
  readonly tellSources?: ((sources: readonly GivenSource[]) => void) | undefined
  /** Reads a model in JSON from standard input, for the file `-`. */
  readonly readStandardInput?: ModelsOrigin['readStandardInput']
}

/** Loads models into one architecture model. Throws 'invalid-model' with all problems of form, or the failure of a model. */
export async function loadArchitecture(files: ModelFiles, options: LoadOptions): Promise<ArchitectureModel> {
  return withTemporaryDirectory(options.environment ?? {}, async (directory) => {
    const loaded = await loadModels(files, { directory, readStandardInput: options.readStandardInput })
    options.tellSources?.(givenSources(loaded))
    const parameters = await parametersForModels(options.extraParams, { ...options, needsValues: needsValues(loaded) })
    const { contextFor, noteNames, unread } = functionContexts(parameters.values)
    const models = withNix(loaded, { targetProperty: 'hostname', ...options, parameters, noteNames })
    refuseMistaken(evaluated(loaded))
    const { result, warnings } = await collectingProblems((problems) => {
      const { system, tellTargets } = options
      const assembly = { system, tellTargets, contextFor, problems }
      const { architecture, infrastructure } = models
      if (architecture !== undefined) return readArchitecture(architecture, assembly)
      if (infrastructure === undefined) throw new Error('neither an architecture nor an infrastructure is given')
      return assembleArchitecture({ ...models, infrastructure }, assembly)
    })
    return { ...result, warnings, lateWarnings: unread }
  })
}

/** Tells whether parameters must be evaluated: for programs and, if no model is in the Nix language, just to check them. */
function needsValues(loaded: ByRole<Model>): boolean {
  const models = rolesIn(loaded).map(([, model]) => model)
  return models.some(({ value }) => typeof value === 'function') || models.every(({ language }) => language !== 'nix')
}

/** Returns the models that need no evaluation, so that all mistaken ones are reported together. */
function evaluated(loaded: ByRole<Model>): readonly GivenModel[] {
  return rolesIn(loaded).flatMap(([kind, { file, value, language }]) =>
    typeof value === 'function' || language === 'nix' ? [] : [{ file, kind, value }],
  )
}
