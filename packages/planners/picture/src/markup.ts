import { printableLine } from '@davit/diagnostics'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const PLAIN = /^[\w .:/+@,()-]*$/

/** Makes text safe within elements and attributes of HTML and SVG. */
export function escaped(text: string): string {
  return PLAIN.test(text)
    ? text
    : printableLine(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

type Attributes = Readonly<Record<string, string | number | undefined>>

/** Writes an element; attributes are escaped, content is not. */
export function element(name: string, attributes: Attributes, content?: string): string {
  let start = `<${name}`
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) start += ` ${attribute}="${typeof value === 'number' ? value : escaped(value)}"`
  }
  return content === undefined ? `${start}/>` : `${start}>${content}</${name}>`
}
