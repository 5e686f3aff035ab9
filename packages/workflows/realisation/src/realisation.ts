export { completeDeployment } from './complete-deployment.ts'
export { completeProfiles } from './complete-profiles.ts'
export { profileManifests } from './profile/profile-manifests.ts'
export { realise } from './realise.ts'
