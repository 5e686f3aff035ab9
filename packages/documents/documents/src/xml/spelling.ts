/**
 * How a value is spelt in XML (the NixXML conventions): records are child elements in a fixed order, tables are repeated
 * elements with a `name`, lists are repeated elements, and free-form data carries its types.
 */
export type Spelling =
  | { readonly kind: 'text' }
  | { readonly kind: 'number' }
  | { readonly kind: 'properties' }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Spelling> }
  | { readonly kind: 'list'; readonly element: string; readonly item: Spelling }
  | { readonly kind: 'table'; readonly element: string; readonly entry: Spelling }

export type SpellingOf<Kind extends Spelling['kind']> = Extract<Spelling, { readonly kind: Kind }>

export const text = { kind: 'text' } as const
export const number = { kind: 'number' } as const
export const properties = { kind: 'properties' } as const

export function record(fields: Readonly<Record<string, Spelling>>): SpellingOf<'record'> {
  return { kind: 'record', fields: new Map(Object.entries(fields)) }
}

export function list(element: string, item: Spelling): SpellingOf<'list'> {
  return { kind: 'list', element, item }
}

export function table(element: string, entry: Spelling): SpellingOf<'table'> {
  return { kind: 'table', element, entry }
}
