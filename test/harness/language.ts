import { noPrivateNix } from '@davit/testing/private-nix'
import { HOSTS_POSSIBLE } from './hosts.ts'

/** The language of the models of a test. Models in Nix are built by Nix, models in YAML by the native store. */
export type Language = 'YAML' | 'Nix'

/** Whether tests run what they otherwise sample. */
export const ALL_SCENARIOS = Boolean(process.env['DAVIT_TEST_ALL'])

export const NIX_POSSIBLE = HOSTS_POSSIBLE && noPrivateNix === undefined

/** Languages for tests of what differs between languages or stores. */
export const EACH_LANGUAGE: readonly Language[] = NIX_POSSIBLE ? ['YAML', 'Nix'] : ['YAML']

/** Languages for all other tests. Models of all languages end in the same architecture, so one of them is enough. */
export const LANGUAGES: readonly Language[] = ALL_SCENARIOS ? EACH_LANGUAGE : ['YAML']
