import type { Infrastructure, TargetName } from '@davit/documents'

/** Returns how many activities may run at a time in a lane; one for a target that is not in the infrastructure, such as a renamed one. */
export function coresOf(infrastructure: Infrastructure): (lane: string) => number {
  return (lane) => infrastructure.get(lane as TargetName)?.numOfCores ?? 1
}
