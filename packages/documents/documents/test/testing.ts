// Values of documents for laws of other packages.
export { architecture, buildModel, infrastructure, manifest, profileManifest } from './arbitraries.ts'
