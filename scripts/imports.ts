/** Returns the specifiers that a source imports anywhere. */
export function importsOf(text: string): readonly string[] {
  return specifiersOf(withoutComments(text).matchAll(IMPORTS))
}

/** Returns the specifiers that a test imports at its top. Text further down may be a program that the test writes. */
export function importsAtTop(text: string): readonly string[] {
  return specifiersOf(withoutComments(text).replace(/^#!.*/, '').matchAll(NEXT_IMPORT))
}

/** Returns the package of a specifier: `@davit/files` for `@davit/files/testing`. */
export function packageOf(specifier: string): string {
  const depth = specifier.startsWith('@') ? 2 : 1
  return specifier.split('/').slice(0, depth).join('/')
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

const IMPORTS =
  /^(?:import|export)\s[^'"`=(]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

/** Matches an import where the previous match ended. */
const NEXT_IMPORT = /\s*(?:import|export)\s(?:[^'"`=(]*?\bfrom\s+)?['"]([^'"]+)['"]/gy

function specifiersOf(matches: Iterable<RegExpMatchArray>): readonly string[] {
  return [...new Set([...matches].map((match) => match.slice(1).find(Boolean) ?? ''))]
}
