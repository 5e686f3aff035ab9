export type Environment = Readonly<Record<string, string>>

/** The environment of this process, as it is now. */
export function environment(): Environment {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
