import { checkContainerProperties } from '../src/check-properties.ts'
import { collectFindings } from '../src/findings.ts'

/** Whether a container may not have a property of this name. */
export function isRefusedProperty(name: string): boolean {
  const findings = collectFindings(() => undefined)
  checkContainerProperties(new Map([[name, 'value']]), ['containers', 'c'], findings)
  try {
    findings.throwIfAny()
    return false
  } catch {
    return true
  }
}
