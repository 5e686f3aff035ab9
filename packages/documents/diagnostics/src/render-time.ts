/** Formats a time for people: `2026-11-21 17:48:10 UTC`. */
export function renderTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
