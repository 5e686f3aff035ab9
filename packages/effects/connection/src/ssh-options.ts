import type { Report, Trace } from '@davit/diagnostics'
import type { Environment } from '@davit/process'
import type { Limiter } from './limiter.ts'
import type { SshAnswers } from './ssh-answers.ts'

export interface SshOptions {
  /**
   * `SSH_OPTS` (more arguments of ssh, split at white space) and `SSH_USER` apply to targets, not to jump hosts;
   * `DAVIT_SSH_CONFIG` takes the place of ~/.ssh/config; `SSH_AUTH_SOCK` is the agent.
   */
  readonly environment: Environment
  /** Of a run, all of whose pools have the same environment. */
  readonly answers?: SshAnswers | undefined
  readonly report?: Report
  readonly trace?: Trace | undefined
  /** Aborts connecting; open connections stay. */
  readonly signal?: AbortSignal
  /** Bounds handshakes, since sshd refuses more than ten at a time; four by default. */
  readonly handshakes?: Limiter
  /** Attempts in all when sshd hangs up before the handshake; five by default. */
  readonly attempts?: number
}
