export { loadArchitecture, type ModelFiles } from './load-architecture.ts'
export { type InfrastructureOptions, loadInfrastructure } from './load-infrastructure.ts'
export { loadBuildModel, loadDeploymentModel, parseBuildModel } from './load-document.ts'
export { type GivenSource } from './given-sources.ts'
