/** Returns the language of a stack or workspace file: whatever is not called JSON is YAML, which may have any name. */
export function languageOf(file: string): 'json' | 'yaml' {
  return file.endsWith('.json') ? 'json' : 'yaml'
}
