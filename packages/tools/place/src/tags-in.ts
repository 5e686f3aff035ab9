import { quoted, suggestionFor } from '@davit/diagnostics'
import { usageError } from '@davit/tool'

/** Reads `SERVICE=TAG,TAG` for each service. */
export function tagsIn(options: readonly string[], services: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const names = new Set(services)
  const tags = new Map<string, readonly string[]>()
  for (const option of options) {
    const [name = '', ...rest] = option.split('=')
    const wanted = rest.join('=').split(',')
    if (rest.length === 0 || wanted.includes('')) {
      throw usageError(`--tags: ${quoted(option)} is not SERVICE=TAG`, 'write SERVICE=TAG, or SERVICE=TAG,TAG')
    }
    if (!names.has(name)) {
      throw usageError(
        `--tags: there is no service ${quoted(name)}`,
        suggestionFor(name, names) ?? 'name a service of the model',
      )
    }
    tags.set(name, [...(tags.get(name) ?? []), ...wanted])
  }
  return tags
}
