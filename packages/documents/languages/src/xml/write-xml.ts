import type { XmlElement } from './xml-element.ts'

/** Writes one element per line, indented by two spaces; text of an element is written exactly. */
export function writeXml(root: XmlElement): string {
  const parts = ['<?xml version="1.0" encoding="UTF-8"?>']
  write(root, '\n', parts)
  parts.push('\n')
  return parts.join('')
}

/** Adds the parts of an element; `margin` is a line break and the indentation of its line. */
function write({ name, attributes, children, text }: XmlElement, margin: string, parts: string[]): void {
  parts.push(margin, '<', name)
  for (const [key, value] of attributes) parts.push(' ', key, '="', escape(value), '"')
  if (text !== '') parts.push('>', escape(text), '</', name, '>')
  else if (children.length === 0) parts.push('/>')
  else {
    parts.push('>')
    const inner = `${margin}  `
    for (const child of children) write(child, inner, parts)
    parts.push(margin, '</', name, '>')
  }
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
