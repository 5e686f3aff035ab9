export { completeDeployment, type DeploymentDefaults } from './complete-deployment.ts'
export { realise, type RealisationOptions } from './realise.ts'
