import {
  type Architecture,
  type BuildInterface,
  type BuildModel,
  propertyText,
  type Target,
  type TargetName,
} from '@davit/documents'
import { orderOfArchitecture } from './delegation-order.ts'

/** Makes a build model in which each target of an architecture builds the derivations that it needs itself. */
export function buildModelOf(architecture: Architecture): BuildModel {
  const { packages } = orderOfArchitecture(architecture)
  return {
    derivationMappings: packages.flatMap(({ target, package: { derivation } }) =>
      derivation === undefined ? [] : [{ derivation, interface: target }],
    ),
    interfaces: new Map(
      [...architecture.infrastructure].map(([name, target]): [TargetName, BuildInterface] => [
        name,
        { targetAddress: addressIn(target), clientInterface: target.clientInterface },
      ]),
    ),
  }
}

function addressIn({ properties, targetProperty }: Target): string {
  const address = properties.get(targetProperty)
  return address === undefined ? '' : propertyText(address)
}
