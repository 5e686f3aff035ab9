import type { Mapping } from '@davit/documents'
import { isDigestOf } from '@davit/secrets'
import { type ActivityDefinition, type ContainerProperties, type Machine, valuesOf } from '@davit/target'

export interface Comparison {
  readonly mapping: Mapping
  readonly recorded: ActivityDefinition
  readonly next: ActivityDefinition
}

/** Names of properties that are secret in a record and in the next manifest, and have another value than when the module was called. */
export async function changedSecrets(
  { secrets }: Pick<Machine, 'secrets'>,
  { mapping, recorded, next }: Comparison,
): Promise<readonly string[]> {
  const changed: string[] = []
  for (const [name, value] of await valuesOf(mapping, next, secrets)) {
    const before = recorded.secrets?.get(name)
    if (before !== undefined && !(await isDigestOf(before.digest ?? '', value))) changed.push(name)
  }
  return changed
}

/** Properties for a comparison: of secrets, the given text of each. No other property has a text with NUL. */
export function comparable(
  { properties, secrets }: ContainerProperties,
  textOf: (name: string) => string,
): ReadonlyMap<string, string> {
  if (secrets === undefined) return properties
  return new Map([...properties, ...[...secrets.keys()].map((name) => [name, `\0${textOf(name)}`] as const)])
}

/** Text that is the same for equal references. */
export function referencesOf({ secrets }: ContainerProperties): (name: string) => string {
  return (name) => JSON.stringify(secrets?.get(name)?.text)
}
