import { type Path, quoted } from '@davit/diagnostics'
import {
  clientInterfaceFor,
  containerName,
  type Infrastructure,
  system,
  type Target,
  targetName,
} from '@davit/documents'
import type { ArchitectureModel, TargetModel } from './architecture-model.ts'
import { checkContainerProperties, checkProperties } from './check-properties.ts'
import type { Findings } from './findings.ts'
import { checkedName } from './names.ts'
import type { NormalizationOptions } from './normalization-options.ts'
import { sortedEntries, sortedMap, sortedProperties } from './sorted.ts'

/** Checks targets, fills in defaults, and orders them by name. */
export function normalizeInfrastructure(
  targets: ArchitectureModel['infrastructure'],
  options: NormalizationOptions,
  findings: Findings,
): Infrastructure {
  for (const [name, target] of sortedEntries(targets)) {
    const path = ['infrastructure', name]
    checkedName(targetName, name, { path, findings })
    checkTarget(target, path, findings)
  }
  const infrastructure = sortedMap(targets, (target) => withDefaults(target, options))
  for (const [name, target] of infrastructure) checkTargetProperty(target, name, findings)
  return infrastructure
}

function withDefaults(target: TargetModel, options: NormalizationOptions): Target {
  return {
    properties: sortedProperties(target.properties),
    containers: sortedMap(target.containers, sortedProperties),
    system: target.system ?? options.system,
    numOfCores: target.numOfCores ?? 1,
    clientInterface: clientInterfaceFor(target.clientInterface, options.clientInterface),
    targetProperty: target.targetProperty ?? options.targetProperty,
  }
}

function checkTarget(target: TargetModel, path: Path, findings: Findings): void {
  checkProperties(target.properties, [...path, 'properties'], findings)
  for (const [name, properties] of sortedEntries(target.containers)) {
    const place = [...path, 'containers', name]
    checkedName(containerName, name, { path: place, findings })
    checkContainerProperties(properties, place, findings)
  }
  if (target.system !== undefined) checkedName(system, target.system, { path: [...path, 'system'], findings })
  if (target.numOfCores !== undefined && !(Number.isSafeInteger(target.numOfCores) && target.numOfCores > 0)) {
    findings.error([...path, 'numOfCores'], `numOfCores must be a whole number of at least 1, not ${target.numOfCores}`)
  }
}

function checkTargetProperty({ properties, targetProperty }: Target, name: string, findings: Findings): void {
  const path = ['infrastructure', name, 'properties', targetProperty]
  const address = properties.get(targetProperty)
  if (address === undefined) {
    const hint = `it contains the address of the target; name another property with 'targetProperty'`
    findings.error(path, `target ${quoted(name)} has no property '${targetProperty}'`, hint)
  } else if (typeof address !== 'string' || address === '') {
    findings.error(
      path,
      `property '${targetProperty}' of target ${quoted(name)} must be text: it is the target's address`,
    )
  }
}
