/** Codes of messages that tell nobody what was done to the services; what claims something is in claims.ts. */
export const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'build-awaited',
  'builds-half-isolated',
  'builds-not-isolated',
  'kept-outdated',
  // What is not as the manifest says is told before.
  'nothing-to-do',
  'other-module-tried',
  'others-here',
  'profile-unchanged',
  'reconnected',
  'reconnecting',
  'record-gone',
  'rolling-back',
  'stopped',
  'stopping',
  'taking-over',
  'trying-again',
  'unlock-failed',
  'waiting-for-earlier',
])

/** Codes of errors that only say what went wrong. */
export const ONLY_WRONG: ReadonlySet<string> = new Set([
  'bad-record',
  'build-failed',
  'cannot-create',
  'cannot-read',
  'cannot-write',
  'channel-closed',
  'connection-lost',
  'import-failed',
  'lock-lost',
  'lock-refused',
  'locked',
  'no-answer',
  'no-module',
  'no-profile',
  'no-shell',
  'refused-by-system',
  'session-refused',
  'unlock-refused',
  'unreachable',
])

/** What others than davit print: a shell, of what it has started, and programs that found no room. */
export const OTHERS_SAY: readonly RegExp[] = [
  /^$/,
  /^(Killed|Terminated|Hangup)$/,
  /^\S+: .*(No space left on device|I\/O error)$/,
]
