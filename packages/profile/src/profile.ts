export { modulesOf } from './modules-of.ts'
export { packagesOf } from './packages-of.ts'
export { profileManifestOf } from './profile-manifest-of.ts'
