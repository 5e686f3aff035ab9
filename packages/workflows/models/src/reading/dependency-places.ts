import type { Path } from '@davit/diagnostics'
import { memberOf } from './part.ts'

const DEPENDENCIES: readonly unknown[] = ['dependsOn', 'connectsTo', 'activatesAfter']

/** Finds the path of a dependency by its parameter; in a list, parameters are the names of services. */
export function dependencySteps(services: unknown, steps: Path): Path {
  const [service = '', attribute = '', parameter, ...rest] = steps
  const list = memberOf(memberOf(services, String(service)), String(attribute))
  if (!DEPENDENCIES.includes(attribute) || !Array.isArray(list) || typeof parameter !== 'string') return steps
  const index = list.findIndex((item) =>
    [typeof item === 'number' ? String(item) : item, memberOf(item, 'service'), memberOf(item, 'name')].includes(
      parameter,
    ),
  )
  return index === -1 ? steps : [service, attribute, index, ...rest]
}
