export { loadArchitecture, type LoadOptions, type ModelFiles } from './load-architecture.ts'
export { loadDeploymentModel } from './load-deployment-model.ts'
