export { compareManifests } from './compare-manifests.ts'
export type {
  FieldChange,
  ManifestDifference,
  NamedPlace,
  Place,
  ProfileDifference,
  ServiceChange,
  ServiceDifference,
  SnapshotDifference,
  TargetDifference,
} from './difference.ts'
export { hasDifferences } from './difference.ts'
export { encodeDifference, renderDifference } from './render-difference.ts'
