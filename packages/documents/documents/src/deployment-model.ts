import { atPath, type Diagnostic } from '@davit/diagnostics'
import * as v from 'valibot'
import { checkServiceSecrets, checkTargetSecrets } from './checks/check-secrets.ts'
import { clientInterfaceProblem } from './client-interface.ts'
import type { Format } from './format.ts'
import { serviceKey, storePath, targetName } from './ids.ts'
import { partialInfrastructure, type PartialTarget } from './infrastructure.ts'
import { manifestXml } from './manifest.ts'
import { manifestService } from './manifest-service.ts'
import { serviceMapping, snapshotMapping } from './mapping.ts'
import { list, table } from './quick-schemas.ts'
import { storeReference } from './store-reference.ts'

/** A manifest written by a person or a program: sections may be absent, and targets incomplete. */
export const deploymentModel = v.object({
  profiles: v.optional(table(targetName, storePath), () => new Map()),
  services: v.optional(table(serviceKey, manifestService), () => new Map()),
  infrastructure: v.optional(partialInfrastructure, () => new Map()),
  serviceMappings: v.optional(list(serviceMapping), () => []),
  snapshotMappings: v.optional(list(snapshotMapping), () => []),
  store: v.exactOptional(storeReference),
})
export type DeploymentModel = v.InferOutput<typeof deploymentModel>

function checkInterface([name, { clientInterface }]: readonly [string, PartialTarget]): Diagnostic[] {
  const problem = clientInterface === undefined ? undefined : clientInterfaceProblem(clientInterface)
  const path = ['infrastructure', name, 'clientInterface']
  return problem === undefined ? [] : [atPath(path, problem.message, problem.hint)]
}

export const DeploymentModel: Format<DeploymentModel> = {
  name: 'manifest',
  title: 'a deployment model',
  version: 2,
  header: 'optional',
  schema: deploymentModel,
  knowsAllKeys: true,
  check: ({ infrastructure, services }) => [
    ...[...infrastructure].flatMap(checkInterface),
    ...checkTargetSecrets(infrastructure, ['infrastructure']),
    ...checkServiceSecrets(services),
  ],
  xml: manifestXml,
}
