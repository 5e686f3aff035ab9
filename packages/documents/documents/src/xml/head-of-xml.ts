/** Name of the root element, and its attribute `version`. */
export interface HeadOfXml {
  readonly name: string
  readonly version?: string | undefined
}

/** White space, processing instructions and comments; then the root element. */
const HEAD = /^(?:[\s\uFEFF]|<\?[^]*?\?>|<!--[^]*?-->)*<([A-Za-z_][\w.-]*)([^<>]*)/

/** Finds the beginning of a text in XML without reading the rest. A text that does not begin as XML should counts as a manifest. */
export function headOfXml(text: string): HeadOfXml {
  const [, name = 'manifest', attributes = ''] = HEAD.exec(text) ?? []
  const [, version] = /\sversion\s*=\s*["']([^"']*)["']/.exec(attributes) ?? []
  return { name, version }
}
