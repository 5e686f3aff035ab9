import { noPrivateNix } from '@davit/testing/private-nix'
import { HOSTS_POSSIBLE } from './hosts.ts'

/** The language of the models of a test. Models in Nix are built by Nix, models in YAML by the native store. */
export type Language = 'YAML' | 'Nix'

/** Whether all tests run with all languages, and not just those that depend on language or store. */
const ALL_SCENARIOS = Boolean(process.env['DAVIT_TEST_ALL'])

export const NIX_POSSIBLE = HOSTS_POSSIBLE && noPrivateNix === undefined

/** Languages for tests whose outcome depends on the language of the models, or on the store. */
export const LANGUAGES: readonly Language[] = NIX_POSSIBLE ? ['YAML', 'Nix'] : ['YAML']

/** Languages for all other tests. */
export const LANGUAGES_OF_ALL: readonly Language[] = ALL_SCENARIOS ? LANGUAGES : ['YAML']
