import type { ServiceName, TargetName } from '@davit/documents'
import { isSelected, type Selection } from '@davit/selection'

/** Tells which services are asked about the lock. */
export function concernedBy(selection: Selection | undefined): (service: ServiceName, target: TargetName) => boolean {
  return (service, target) => selection === undefined || isSelected(selection, { service, target })
}
