import type { Infrastructure, TargetName } from '@davit/documents'

/** How many activities may run at a time in a lane; one where it is no target of the infrastructure, such as a renamed one. */
export function coresOf(infrastructure: Infrastructure): (lane: string) => number {
  return (lane) => infrastructure.get(lane as TargetName)?.numOfCores ?? 1
}
