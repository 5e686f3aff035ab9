export { modulesByTarget } from './modules-by-target.ts'
export { packagesByTarget } from './packages-by-target.ts'
export { profileManifests } from './profile-manifests.ts'
