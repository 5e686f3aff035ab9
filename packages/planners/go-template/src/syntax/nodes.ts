import type { TemplateFile, TemplateValue } from '../template-file.ts'

/** A template that has been parsed. What it consists of concerns this package only. */
export interface ParsedTemplate {
  readonly file: TemplateFile
  readonly root: List
  /** What `define` and `block` define. */
  readonly definitions: ReadonlyMap<string, List>
}

export type List = readonly Node[]

export type Node = TextNode | ActionNode | BranchNode | CallNode

export interface TextNode {
  readonly kind: 'text'
  readonly at: number
  readonly text: string
}

export interface ActionNode {
  readonly kind: 'action'
  readonly at: number
  readonly pipe: Pipe
}

export interface BranchNode {
  readonly kind: 'if' | 'with' | 'range'
  readonly at: number
  readonly pipe: Pipe
  readonly body: List
  readonly otherwise: List
}

/** `{{template "name" pipe}}`; without a pipe, the dot of the template is nil. */
export interface CallNode {
  readonly kind: 'template'
  readonly at: number
  readonly name: string
  readonly pipe: Pipe | undefined
}

export interface Pipe {
  readonly kind: 'pipe'
  readonly at: number
  /** Variables that get the value, with their `$`. */
  readonly declares: readonly string[]
  readonly commands: readonly Command[]
}

/** Its first operand is a function with its arguments behind it, or the only one. */
export type Command = readonly [Operand, ...Operand[]]

export type Operand =
  | Pipe
  | { readonly kind: 'dot' | 'nil'; readonly at: number }
  | { readonly kind: 'constant'; readonly at: number; readonly value: TemplateValue }
  | { readonly kind: 'function'; readonly at: number; readonly name: string }
  | { readonly kind: 'variable'; readonly at: number; readonly name: string }
  | { readonly kind: 'field'; readonly at: number; readonly fields: readonly Field[]; readonly of: Operand }

export interface Field {
  readonly at: number
  readonly name: string
}
