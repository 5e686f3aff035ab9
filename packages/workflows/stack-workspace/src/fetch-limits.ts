/** How much, and for how long, may be fetched. */
export interface FetchLimits {
  /** Of all repositories of a run together. */
  readonly bytes: number
  /** For one repository. */
  readonly seconds: number
  /** How long nothing may come of one. */
  readonly silenceSeconds: number
  readonly tags: number
  /** Files and directories of a commit, and of all commits that are remembered. */
  readonly listed: number
  /** Stacks of a run, with what they refer to. */
  readonly stacks: number
  /** Files and directories of a stack. */
  readonly stackEntries: number
  readonly stackBytes: number
  /** Directories above a file of a stack. */
  readonly stackDepth: number
}

export const FETCH_LIMITS: FetchLimits = {
  bytes: 4e9,
  seconds: 3600,
  silenceSeconds: 120,
  tags: 100_000,
  listed: 300_000,
  stacks: 1000,
  stackEntries: 100_000,
  stackBytes: 1024 ** 3,
  stackDepth: 100,
}

/** Room for the record of a tag, or of a file: its name is usually shorter. */
export const RECORD_BYTES = 256
