/** Codes of messages that claim nothing about services. Those that claim something are in claims.ts. */
export const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'build-awaited',
  // What is wrong with it is a matter of the profiles and records that the claims of other messages are about.
  'contradiction-settled',
  'builds-half-isolated',
  'builds-not-isolated',
  'holder-gone',
  'kept-outdated',
  // Differences from the manifest are reported by other messages before this one.
  'not-connected',
  'no-state-moved',
  'nothing-to-do',
  'snapshots-damaged',
  'state-missing',
  // It says what may be, and what to do then.
  'state-perhaps-gone',
  'state-not-kept',
  'other-module-tried',
  'others-here',
  'profile-unchanged',
  'reconnected',
  'reconnecting',
  'record-gone',
  'rolling-back',
  'service-unsettled',
  'state-in-use',
  'state-kept',
  'state-skipped',
  'state-unknown',
  'stopped',
  'stopping',
  'taking-over',
  'trying-again',
  'unlock-failed',
  'waiting-for-earlier',
])

/** Codes of errors that only say what went wrong, and claim nothing. */
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
  'state-failed',
  'transfer-failed',
  'damaged-snapshot',
  'unlock-refused',
  'unreachable',
])

/** Expected output of other programs: shells that report an end of a process, and programs that found no space. */
export const OTHERS_SAY: readonly RegExp[] = [
  /^$/,
  /^(Killed|Terminated|Hangup)$/,
  /^\S+: .*(No space left on device|I\/O error)$/,
]
