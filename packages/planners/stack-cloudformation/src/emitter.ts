import type { FindingDetails, Instance, StackCode } from '@davit/stack'
import type { LogicalIds } from './logical-ids.ts'

/** What emitters know of the template that they write to. */
export interface Template {
  readonly ids: LogicalIds
  report(code: StackCode, subjects: readonly unknown[], details: FindingDetails): void
}

/** Makes the resource of a leaf, as a table; its name in the template is its logical id. */
export type Emitter = (leaf: Instance, template: Template) => ReadonlyMap<string, unknown>
