import type { Models } from '../load-models.ts'
import type { Model } from '../model.ts'
import { expressionPackages } from './expression-packages.ts'
import { type EvaluationContext, type ModelsByRole, nixEvaluation, type Role } from './nix-evaluation.ts'

/** The models, of which those in the Nix language can be evaluated. */
export function withNix(models: Models, context: EvaluationContext): Models {
  const byRole: ModelsByRole = { ...models }
  const evaluation = nixEvaluation(byRole, context)
  const packageOf = expressionPackages(byRole, evaluation)
  const evaluable = (role: Role, model: Model): Model => ({
    ...model,
    evaluate: (known) => evaluation.valueOf(role, known),
    packageOf,
    placeOf: (path) => evaluation.placeOf(role, path),
    placeOfKey: (path) => evaluation.placeOf(role, path),
  })
  const entries = Object.entries(byRole).map(([role, model]) => [
    role,
    model.language === 'nix' ? evaluable(role as Role, model) : model,
  ])
  return Object.fromEntries(entries) as Models
}
