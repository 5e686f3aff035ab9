/** What a source imports, anywhere in it. */
export function importsOf(text: string): readonly string[] {
  return specifiersOf(withoutComments(text).matchAll(IMPORTS))
}

/** What a test imports at its top. Further down, text that looks like an import may be a program that it writes. */
export function importsAtTop(text: string): readonly string[] {
  return specifiersOf(withoutComments(text).replace(/^#!.*/, '').matchAll(NEXT_IMPORT))
}

/** `@davit/files` for `@davit/files/testing`. */
export function packageOf(specifier: string): string {
  const depth = specifier.startsWith('@') ? 2 : 1
  return specifier.split('/').slice(0, depth).join('/')
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

const IMPORTS =
  /^(?:import|export)\s[^'"`=(]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

/** Each where the one before has ended. */
const NEXT_IMPORT = /\s*(?:import|export)\s(?:[^'"`=(]*?\bfrom\s+)?['"]([^'"]+)['"]/gy

function specifiersOf(matches: Iterable<RegExpMatchArray>): readonly string[] {
  return [...new Set([...matches].map((match) => match.slice(1).find(Boolean) ?? ''))]
}
