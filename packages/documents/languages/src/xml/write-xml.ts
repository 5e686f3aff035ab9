import type { XmlElement } from './xml-element.ts'

/** Writes one element per line, indented by two spaces; text of an element is written exactly. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`
}

function elementText({ name, attributes, children, text }: XmlElement, indent: string): string {
  const start = `${indent}<${name}${[...attributes].map(([key, value]) => ` ${key}="${escape(value)}"`).join('')}`
  if (text !== '') return `${start}>${escape(text)}</${name}>`
  if (children.length === 0) return `${start}/>`
  return `${start}>\n${children.map((child) => elementText(child, `${indent}  `)).join('\n')}\n${indent}</${name}>`
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

/** Escapes white space other than blanks too, so that no reader normalizes it. */
function escape(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character)
}
