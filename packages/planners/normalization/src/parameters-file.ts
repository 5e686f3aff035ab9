/**
 * Returns the direct inter-dependencies as JSON: placements, containers and attributes. Indirect ones are left out:
 * otherwise a deep graph would be copied into every package.
 */
export function parametersFileOf(parameters: object): string {
  const direct = Object.entries(parameters).map(([name, dependency]) => [name, withoutTransitive(dependency)])
  return JSON.stringify(tableOf(direct))
}

function withoutTransitive(dependency: unknown): object {
  const members = Object.keys(Object(dependency)).filter((name) => name !== 'connectsTo')
  return tableOf(members.map((name) => [name, Reflect.get(Object(dependency), name)]))
}

/** Makes an object without prototype, so that a parameter may be called `__proto__`. */
function tableOf(entries: readonly (readonly unknown[])[]): object {
  const table: object = Object.create(null)
  for (const [name, value] of entries) Object.defineProperty(table, String(name), { value, enumerable: true })
  return table
}
