export { readAccounts, type ReadingTerms } from './read-accounts.ts'
export { reconstructManifest, type ReconstructionOptions } from './reconstruct-manifest.ts'
