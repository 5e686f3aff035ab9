import { encodeDocument, Manifest, mappingIdOf, type Mapping } from '@davit/documents'

/** Whether two manifests say the same of their targets, whatever the order of mappings, and services that no target has. */
export function isSameDeployment(one: Manifest, other: Manifest): boolean {
  return canonicalText(one) === canonicalText(other)
}

function canonicalText(manifest: Manifest): string {
  const { services, serviceMappings, snapshotMappings } = manifest
  const placed = new Set(serviceMappings.map(({ service }) => service))
  const canonical = {
    ...manifest,
    services: new Map([...services].filter(([key]) => placed.has(key))),
    serviceMappings: serviceMappings.toSorted(byId),
    snapshotMappings: snapshotMappings.toSorted(byId),
  }
  return encodeDocument(Manifest, canonical, 'json')
}

function byId(one: Mapping, other: Mapping): number {
  return mappingIdOf(one) < mappingIdOf(other) ? -1 : 1
}
