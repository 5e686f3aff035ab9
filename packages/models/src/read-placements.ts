import type { PlacementModel } from '@davit/normalization'
import { described, isObject, itemsOf, memberOf, membersOf, type Part, refuse, refuseOthers, textOf } from './part.ts'
import type { TargetNames } from './target-names.ts'

export type NameTarget = TargetNames['nameOf']

/** `[target, …]`, `[{ target, container }, …]`, or either as `{ targets: … }`. */
export function readPlacements(part: Part, nameTarget: NameTarget): readonly PlacementModel[] {
  return placementPartsOf(part).flatMap((item) => {
    const placement = readPlacement(item, nameTarget)
    return placement === undefined ? [] : [placement]
  })
}

function placementPartsOf(part: Part): readonly Part[] {
  const targets = memberOf(part.value, 'targets')
  if (targets === undefined) return itemsOf(part, 'a list of targets')
  const members = membersOf(part, 'a list of targets')
  refuseOthers(members, ['targets'], 'a placement')
  return [...members.values()].filter(({ path }) => path.at(-1) === 'targets').flatMap((member) => itemsOf(member, 'a list of targets'))
}

function readPlacement(part: Part, nameTarget: NameTarget): PlacementModel | undefined {
  const { value } = part
  const isRecord = isObject(value) && memberOf(value, 'target') !== undefined && memberOf(value, 'properties') === undefined
  if (!isRecord) return asPlacement(nameTarget(value), part)
  const members = membersOf(part, 'a placement')
  refuseOthers(members, ['target', 'container'], 'a placement')
  const target = members.get('target')
  const container = members.get('container')
  const placement = asPlacement(nameTarget(target?.value), target ?? part)
  if (placement === undefined || container === undefined) return placement
  const name = textOf(container, 'the name of a container')
  return name === undefined ? placement : { ...placement, container: name }
}

function asPlacement(target: string | undefined, part: Part): PlacementModel | undefined {
  if (target !== undefined) return { target }
  const hint = 'use an object of the infrastructure or the name of one of its targets'
  return refuse(part, `expected a target, but got ${described(part.value)}`, hint)
}
