import { noPrivateNix } from '@davit/testing/private-nix'
import { HOSTS_POSSIBLE } from './hosts.ts'

/** The language of the models of a test; those in Nix are built by Nix, in YAML by the native store. */
export type Language = 'YAML' | 'Nix'

/** Whether everything is to be tested with all languages, and not just what depends on language or store. */
const ALL_SCENARIOS = Boolean(process.env['DAVIT_TEST_ALL'])

export const NIX_POSSIBLE = HOSTS_POSSIBLE && noPrivateNix === undefined

/** For tests whose outcome depends on the language of the models, or on the store. */
export const LANGUAGES: readonly Language[] = NIX_POSSIBLE ? ['YAML', 'Nix'] : ['YAML']

/** For all others. */
export const LANGUAGES_OF_ALL: readonly Language[] = ALL_SCENARIOS ? LANGUAGES : ['YAML']
