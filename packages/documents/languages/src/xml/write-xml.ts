/** How an element begins: a line break with the indentation of its line, its name, and its attributes as text. */
export interface XmlStart {
  readonly margin: string
  readonly name: string
  readonly attributes: string
}

/** Writes a text with one element per line, given its root; the margin of the root is a line break. */
export function writeXml(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${root}\n`
}

/** Writes an element that contains nothing but text, which is written exactly. */
export function writeLeaf(text: string, { margin, name, attributes }: XmlStart): string {
  const start = `${margin}<${name}${attributes}`
  return text === '' ? `${start}/>` : `${start}>${escape(text)}</${name}>`
}

/** Writes an element that contains elements, which have been written with `marginWithin` its own margin. */
export function writeBranch(children: readonly string[], { margin, name, attributes }: XmlStart): string {
  const start = `${margin}<${name}${attributes}`
  // Joining long texts level by level takes less time and memory than one list of all their parts.
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}${margin}</${name}>`
}

/** Writes an attribute, with the blank before it. */
export function writeAttribute(name: string, value: string): string {
  return ` ${name}="${escape(value)}"`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}
const SPECIAL = /[&<>"\t\n\r]/

/** Escapes white space other than blanks too, so that no reader normalizes it. */
function escape(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character) : text
}
