/** The codes with which a helper refuses a request: those of `fail` in its script. */
export const REFUSALS = [
  'already-locked',
  'already-running',
  'bad-record',
  'bad-request',
  'cannot-create',
  'cannot-read',
  'collected',
  'damaged-snapshot',
  'going-back',
  'incomplete-archive',
  'lock-lost',
  'may-not-write',
  'nix-failed',
  'nix-missing',
  'no-clock',
  'no-module',
  'no-profile',
  'no-record',
  'no-state',
  'no-trial',
  'not-locked',
  'not-owner',
  'store-busy',
  'utility-missing',
] as const

export type Refusal = (typeof REFUSALS)[number]
