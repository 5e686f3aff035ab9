import { headOfXml } from './xml/head-of-xml.ts'

/** Returns the kind of document that a text in XML or JSON says it is, without reading all of it; undefined if it says nothing. */
export function statedDocument(text: string): unknown {
  return /^[\s\uFEFF]*</.test(text) ? headOfXml(text).name : statedInJson(text)
}

/** The beginning of a document in JSON, as davit writes it. */
const DOCUMENT = /^\uFEFF?\s*\{\s*"document"\s*:\s*"([a-z]+)"/

/** Returns the kind of document that a text in JSON says it is. */
export function statedInJson(text: string): unknown {
  const [, name] = DOCUMENT.exec(text) ?? []
  if (name !== undefined) return name
  try {
    const { document, version } = JSON.parse(text) as { readonly document?: unknown; readonly version?: unknown }
    return typeof version === 'object' ? undefined : document
  } catch {
    // Whoever reads the text says what is wrong with it.
    return undefined
  }
}
