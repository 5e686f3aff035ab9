import type { Diagnostic } from '@davit/diagnostics'
import type { PackageSpec } from '@davit/documents'
import type { PackageModel } from '@davit/normalization'
import { type Model, runModel } from './model.ts'
import type { Part } from './part.ts'
import { invalidModel } from './problems.ts'
import { type PackageContext, readPackage, type ReadPackage } from './read-package.ts'

/** Reads the package of a service, or the function that makes it. */
export function packageModel(part: Part, name: string, model: Model): PackageModel | undefined {
  if (model.packageOf !== undefined) return model.packageOf({ service: name })
  const context = { directory: model.directory, name }
  const { value } = part
  if (typeof value !== 'function') {
    const pkg = readPackage(part, context)
    return pkg === undefined ? undefined : { kind: 'data', ...pkg }
  }
  return {
    kind: 'function',
    call(parameters, parametersText) {
      const result: unknown = runModel(model, () => value(parameters))
      return specOf(readResult({ ...part, value: result }, context, model), parametersText)
    },
  }
}

function readResult(part: Part, context: PackageContext, model: Model): ReadPackage {
  const problems: Diagnostic[] = []
  const origin = { ...part.origin, problems }
  const pkg = runModel(model, () => readPackage({ ...part, origin }, context))
  if (pkg === undefined || problems.length > 0) throw invalidModel(problems)
  return pkg
}

function specOf({ spec, parametersFile }: ReadPackage, parametersText: () => string): PackageSpec {
  return spec.kind === 'build' && parametersFile === true ? { ...spec, parameters: parametersText() } : spec
}
