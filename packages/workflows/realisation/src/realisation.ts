export { completeDeployment, type DeploymentDefaults } from './complete-deployment.ts'
export { profileManifests } from './profile/profile-manifests.ts'
export { realise, type RealisationOptions } from './realise.ts'
