export { completeDeployment } from './complete-deployment.ts'
export { profileManifests } from './profile/profile-manifests.ts'
export { realise } from './realise.ts'
