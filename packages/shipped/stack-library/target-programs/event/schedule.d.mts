export type Schedule = { readonly every: number } | { readonly minutes: ReadonlySet<number> }

/** Parses five fields of cron, in UTC, or `@every 1h30m`; throws an Error that says what is wrong. */
export function parseSchedule(text: string): Schedule

/** Returns the first moment of a schedule after another, both in milliseconds since 1970. */
export function nextTime(schedule: Schedule, after: number): number | undefined
