import type { Infrastructure, TargetName } from '@davit/documents'

/** How many activities may run at a time on a target; one on a target that is not in the infrastructure, such as a renamed one. */
export function coresOf(infrastructure: Infrastructure): (target: TargetName) => number {
  return (target) => infrastructure.get(target)?.numOfCores ?? 1
}
