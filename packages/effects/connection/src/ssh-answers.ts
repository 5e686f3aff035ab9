import { type Shared, shared } from './shared.ts'
import type { SshConfiguration } from './ssh-configuration.ts'

/** What the user's OpenSSH has said of addresses, for all pools that get it: it is asked once about each. */
export interface SshAnswers {
  readonly configurations: Shared<SshConfiguration>
  readonly texts: Shared<string>
}

export function sshAnswers(): SshAnswers {
  return { configurations: shared(), texts: shared() }
}
