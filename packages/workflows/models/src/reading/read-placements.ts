import type { PlacementModel } from '@davit/normalization'
import { attributesOf } from './attributes.ts'
import { described, itemsOf, memberOf, membersOf, type Part, refuse, refuseOthers, textIn, textOf } from './part.ts'
import type { TargetNames } from './target-names.ts'

export type NameTarget = TargetNames['nameOf']

/** Reads `[target, …]`, `[{ target, container }, …]`, or either as `{ targets: … }`. */
export function readPlacements(part: Part, nameTarget: NameTarget): readonly PlacementModel[] {
  return placementPartsOf(part).flatMap((item) => {
    const placement = readPlacement(item, nameTarget)
    return placement === undefined ? [] : [placement]
  })
}

function placementPartsOf(part: Part): readonly Part[] {
  const { value } = part
  if (typeof value === 'string') {
    refuse(
      part,
      `expected a list of targets, but got ${described(value)}`,
      'write a list in brackets, even for a single element',
    )
    return []
  }
  const targets = memberOf(value, 'targets')
  if (targets === undefined) return itemsOf(part, 'a list of targets')
  const members = membersOf(part, 'a list of targets')
  refuseOthers(members, ['targets'], 'a placement')
  return [...members.values()]
    .filter(({ path }) => path.at(-1) === 'targets')
    .flatMap((member) => itemsOf(member, 'a list of targets'))
}

function readPlacement(part: Part, nameTarget: NameTarget): PlacementModel | undefined {
  if (!isRecord(part.value)) return asPlacement(part, nameTarget)
  const { demand, members, read } = attributesOf(part, 'a placement')
  refuseOthers(members, ['target', 'container'], 'a placement')
  const placement = demand('target', (target) => asPlacement(target, nameTarget), {
    message: "this placement has no 'target'",
  })
  const container = read('container', (member) => textOf(member, 'the name of a container'))
  return placement === undefined || container === undefined ? placement : { ...placement, container }
}

/** Recognises `{ target, container }`, as opposed to a target with an attribute of such a name. */
function isRecord(value: unknown): boolean {
  const isEither = memberOf(value, 'target') !== undefined || memberOf(value, 'container') !== undefined
  return isEither && memberOf(value, 'properties') === undefined
}

function asPlacement(part: Part, nameTarget: NameTarget): PlacementModel | undefined {
  const target = nameTarget(textIn(part) ?? part.value)
  if (target !== undefined) return { target }
  const hint = 'use an object of the infrastructure or the name of one of its targets'
  return refuse(part, `expected a target, but got ${described(part.value)}`, hint)
}
