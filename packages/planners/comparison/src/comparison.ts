export { compareManifests } from './compare-manifests.ts'
export { hasDifferences, type ManifestDifference } from './difference.ts'
export { isSameDeployment } from './is-same-deployment.ts'
export { encodeDifference, renderDifference } from './render-difference.ts'
