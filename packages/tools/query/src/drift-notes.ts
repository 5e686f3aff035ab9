import { driftText, type Instance, type Inventory, targetDriftText } from '@davit/inventory'

/** A line for everything that is not as it should be. */
export function driftNotes({ targets }: Inventory): readonly string[] {
  return targets.flatMap(({ target, drift, instances }) => [
    ...drift.map((one) => `${target}: ${targetDriftText(one)}`),
    ...instances
      .filter((one) => one.drift.length > 0)
      .map((instance) => `${target}: ${nameOf(instance)}: ${instance.drift.map(driftText).join('; ')}`),
  ])
}

function nameOf({ service, container }: Instance): string {
  return `${service} in ${container}`
}
