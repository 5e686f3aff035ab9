/** A text with actions, and the name under which messages show it. */
export interface TemplateFile {
  readonly name: string
  readonly text: string
}

/** What a template computes with. Tables are Maps, so that `__proto__` is a key like any other. */
export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | readonly TemplateValue[]
  | ReadonlyMap<string, TemplateValue>

/** A position in a file as it was written, in UTF-16 units of its text. */
export interface Place {
  readonly file: TemplateFile
  readonly offset: number
}
