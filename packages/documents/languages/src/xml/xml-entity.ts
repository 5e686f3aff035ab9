import { NOT_XML } from './xml-element.ts'

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Decodes the five entities of XML and character references; leaves unknown ones as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^;&]*);/g, (entity, name: string) => characterOf(name) ?? entity)
}

/** Finds an `&` that does not begin an entity; without a DOCTYPE, no others can be defined. */
export function findEntityProblem(text: string): { readonly message: string; readonly offset: number } | undefined {
  for (let offset = text.indexOf('&'); offset !== -1; offset = text.indexOf('&', offset + 1)) {
    const name = /^&([^;&\s]{1,40});/.exec(text.slice(offset, offset + 42))?.[1]
    if (name === undefined) return { message: "'&' must be written &amp;", offset }
    if (characterOf(name) === undefined) return { message: `unknown entity '&${name};'`, offset }
  }
  return undefined
}

function characterOf(name: string): string | undefined {
  const [, hexadecimal, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name) ?? []
  if (hexadecimal === undefined && decimal === undefined) return ENTITIES.get(name)
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
  if (code > 0x10ffff) return undefined
  const character = String.fromCodePoint(code)
  return NOT_XML.test(character) ? undefined : character
}
