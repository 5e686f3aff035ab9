import { extname } from 'node:path'

export type ModelLanguage = 'script' | 'yaml' | 'json' | 'xml' | 'nix'

/** Languages by the ends of names of files. */
export const LANGUAGES: ReadonlyMap<string, ModelLanguage> = new Map([
  ['.ts', 'script'],
  ['.mts', 'script'],
  ['.cts', 'script'],
  ['.js', 'script'],
  ['.mjs', 'script'],
  ['.cjs', 'script'],
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.json', 'json'],
  ['.xml', 'xml'],
  ['.nix', 'nix'],
])

/** Returns the language that the name of a file tells. */
export function languageOf(file: string): ModelLanguage | undefined {
  return LANGUAGES.get(extname(file))
}
