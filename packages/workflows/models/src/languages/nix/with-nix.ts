import type { Model } from '../../reading/model.ts'
import { type ByRole, mapRoles, type Role } from '../../reading/roles.ts'
import { expressionPackages } from './expression-packages.ts'
import { type EvaluationContext, nixEvaluation } from './nix-evaluation.ts'

/** Makes the models in the Nix language evaluable. */
export function withNix(models: ByRole<Model>, context: EvaluationContext): ByRole<Model> {
  const evaluation = nixEvaluation(models, context)
  const packageOf = expressionPackages(models, evaluation)
  const evaluable = (role: Role, model: Model): Model => ({
    ...model,
    evaluate: (known) => evaluation.valueOf(role, known),
    packageOf,
    placeOf: (path) => evaluation.placeOf(role, path),
    placeOfKey: (path) => evaluation.placeOf(role, path),
  })
  return mapRoles(models, (model, role) => (model.language === 'nix' ? evaluable(role, model) : model))
}
