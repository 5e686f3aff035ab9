export interface Told {
  /** Lines of types, with their settings. */
  readonly types?: readonly string[]
  /** Lines of the settings for Dysnomia. */
  readonly settings?: readonly string[]
}

/** What a machine tells. */
export function told({ types = [], settings = [] }: Told): string {
  const facts = ['kernel Linux x86_64', 'name x766d', 'cores 4', 'memory 2000000', 'disk 10000000']
  return [...facts, ...types, 'settings', ...settings].map((line) => `${line}\n`).join('')
}
