import { suggestionFor, quoted } from '@davit/diagnostics'
import {
  containerName,
  type ContainerName,
  type Infrastructure,
  type Placement,
  type ServiceName,
  type TargetName,
} from '@davit/documents'
import type { PlacementModel, ServiceModel } from './architecture-model.ts'
import type { Findings } from './findings.ts'
import { say } from './messages.ts'
import { checkedName, nameIndex } from './names.ts'

/** Finds the target that a model names, by its name or by an address that no other target has. */
export interface TargetFinder {
  named(text: string): TargetName | undefined
  /** Hint for a text that does not name a target. */
  hintFor(text: string): string | undefined
}

export interface PlacementContext {
  readonly targets: TargetFinder
  readonly findings: Findings
}

export function targetFinder(infrastructure: Infrastructure): TargetFinder {
  const names = nameIndex(infrastructure.keys())
  const byAddress = new Map<string, TargetName[]>()
  for (const [name, { properties, targetProperty }] of infrastructure) {
    const address = properties.get(targetProperty)
    if (typeof address !== 'string') continue
    const sharing = byAddress.get(address)
    if (sharing === undefined) byAddress.set(address, [name])
    else sharing.push(name)
  }
  return {
    named: (text) => {
      const [only, ...others] = byAddress.get(text) ?? []
      return names.get(text) ?? (others.length === 0 ? only : undefined)
    },
    hintFor: (text) => {
      const sharing = byAddress.get(text)?.map(quoted)
      return sharing === undefined
        ? suggestionFor(text, names.keys())
        : `it is the address of ${sharing.join(' and ')}: use one of these names`
    },
  }
}

/** Resolves the placements of a service; its type is the default container. A placement that occurs twice counts once. */
export function placementsOf(name: ServiceName, service: ServiceModel, context: PlacementContext): Placement[] {
  const { findings } = context
  const placements = new Map<string, Placement>()
  for (const [index, model] of (service.targets ?? []).entries()) {
    const path = ['services', name, 'targets', index]
    const target = knownTarget(model, { ...context, path, what: `service ${quoted(name)} is placed on` })
    const container = containerOf(model.container ?? service.type, { findings, path: [...path, 'container'] })
    if (target === undefined || container === undefined) continue
    const id = `${target} ${container}`
    if (placements.has(id)) {
      findings.warning(path, say('placed-twice', { service: name, container, target }))
    }
    placements.set(id, { target, container })
  }
  return [...placements.values()]
}

/** Returns the target of a placement; reports an unknown one and returns undefined. */
export function knownTarget(
  { target: text }: PlacementModel,
  { targets, findings, path, what }: PlacementContext & Where & { readonly what: string },
): TargetName | undefined {
  const target = targets.named(text)
  if (target === undefined) {
    findings.error(path, `${what} unknown target ${quoted(text)}`, () => targets.hintFor(text))
  }
  return target
}

interface Where {
  readonly path: readonly (string | number)[]
}

function containerOf(text: string, where: Where & { readonly findings: Findings }): ContainerName | undefined {
  return checkedName(containerName, text, where)
}
