import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { System } from '@davit/documents'
import { withTemporaryDirectory } from '@davit/files'
import type { ArchitectureModel } from '@davit/normalization'
import { assembleArchitecture } from './assemble-architecture.ts'
import { loadModels } from './load-models.ts'
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

export interface LoadOptions {
  /** The coordinator's platform, for targets that name none. */
  readonly system: System
  /** What functions of models get beside their own arguments. */
  readonly extraParams?: Readonly<Record<string, unknown>>
}

/** What all models say together. Throws 'invalid-model' with everything that is wrong in form, or what stopped a model. */
export async function loadArchitecture(files: ModelFiles, options: LoadOptions): Promise<ArchitectureModel> {
  return withTemporaryDirectory(await realpath(tmpdir()), async (directory) => {
    const models = await loadModels(files, directory)
    const { result, warnings } = await collectingProblems((problems) => {
      if ('architecture' in models) return readArchitecture(models.architecture, { ...options, problems })
      return assembleArchitecture(models, { ...options, problems })
    })
    return { ...result, warnings }
  })
}
