export type { ExtraParameters } from './languages/extra-parameters.ts'
export { loadArchitecture, type LoadOptions, type ModelFiles } from './load-architecture.ts'
export { loadBuildModel, loadDeploymentModel, parseBuildModel } from './load-document.ts'
export type { NixOptions } from './languages/nix/nix-options.ts'
