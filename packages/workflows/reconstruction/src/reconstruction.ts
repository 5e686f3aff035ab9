export { readAccounts, type ReadingTerms } from './read-accounts.ts'
export { type Reconstructed, reconstructManifest, type ReconstructionOptions } from './reconstruct-manifest.ts'
export { wantedManifest, type WantedManifest, type WantedOptions } from './wanted-manifest.ts'
