import type { ContainerName, ManifestService, ServiceKey, ServiceName, TargetName } from '@davit/documents'

/** Two accounts of the same deployment that cannot both be right. */
export type Contradiction =
  | (Placed & { readonly kind: 'not-recorded' | 'not-in-profile' })
  | (Placed & { readonly kind: 'different'; readonly fields: readonly string[] })
  | {
      readonly kind: 'targets-differ'
      readonly service: ServiceName
      readonly key: ServiceKey
      readonly targets: readonly [TargetName, TargetName]
      readonly fields: readonly string[]
    }

interface Placed {
  readonly service: ServiceName
  readonly target: TargetName
  readonly container: ContainerName
}

/** Describes a contradiction for people. */
export function contradictionText(contradiction: Contradiction): string {
  switch (contradiction.kind) {
    case 'targets-differ': {
      const { service, key, targets, fields } = contradiction
      return `'${targets[0]}' and '${targets[1]}' have different ${fields.join(' and ')} for '${service}' (${key})`
    }
    case 'different':
      return `profile and record of ${placeText(contradiction)} have different ${contradiction.fields.join(' and ')}`
    case 'not-recorded':
      return `${placeText(contradiction)} is in the profile, but no record says that it is active`
    case 'not-in-profile':
      return `${placeText(contradiction)} is active according to its record, but not in the profile`
  }
}

function placeText({ service, target, container }: Placed): string {
  return `'${service}' in container '${container}' on '${target}'`
}

/** Names of the fields in which two descriptions of a service differ. */
export function differingFields(one: ManifestService, other: ManifestService): readonly string[] {
  const fields = ['name', 'pkg', 'type', 'dependsOn', 'connectsTo', 'providesContainers'] as const
  return fields.filter((field) => canonical(one[field]) !== canonical(other[field]))
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Map) return { table: [...part].sort(([left], [right]) => (left < right ? -1 : 1)) }
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
}
