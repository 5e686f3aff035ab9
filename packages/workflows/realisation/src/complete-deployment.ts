import {
  clientInterfaceFor,
  type DeploymentModel,
  Manifest,
  type PartialTarget,
  type System,
  type Target,
  validateDocument,
} from '@davit/documents'

export interface DeploymentDefaults {
  readonly system: System
  readonly clientInterface: string
  readonly targetProperty: string
  /** Name of the file, for messages. */
  readonly file: string
}

/** Completes a deployment model with defaults to a manifest. */
export function completeDeployment(model: DeploymentModel, { file, ...defaults }: DeploymentDefaults): Manifest {
  const infrastructure = new Map(
    [...model.infrastructure].map(([name, target]) => [name, completeTarget(target, defaults)]),
  )
  return validateDocument(Manifest, { ...model, infrastructure }, { file })
}

function completeTarget(target: PartialTarget, defaults: Omit<DeploymentDefaults, 'file'>): Target {
  const { properties, containers } = target
  return {
    properties,
    containers,
    system: target.system ?? defaults.system,
    numOfCores: target.numOfCores ?? 1,
    clientInterface: clientInterfaceFor(target.clientInterface, defaults.clientInterface),
    targetProperty: target.targetProperty ?? defaults.targetProperty,
  }
}
