import type { OperationName, OPERATIONS, Role } from './operations.ts'

type Table = typeof OPERATIONS

/** The words after an operation in a request, according to its row in the table. */
export type FieldsOf<Name extends OperationName> = readonly [...Words<Table[Name]['fields']>]

type Words<Text extends string> = Text extends ''
  ? []
  : Text extends `[${string}`
    ? readonly string[]
    : Text extends `${string} ${infer Rest}`
      ? [string, ...Words<Rest>]
      : [string]

type Activities = {
  readonly [Name in OperationName]: Table[Name] extends { readonly endsLater: true } ? Name : never
}[OperationName]

/** Operations of a role or, for several roles, those that all of them have. */
type OperationOf<R extends Role> = {
  readonly [Name in OperationName]: [R] extends [Table[Name]['roles'][number]] ? Name : never
}[OperationName]

type Requests<Name extends OperationName> = {
  readonly [One in Name]: [operation: One, fields: FieldsOf<One>]
}[Name]

/** Requests that are answered when they are done. */
export type RequestOf<R extends Role> = Requests<Exclude<OperationOf<R>, Activities>>

/** Requests for activities, which are answered immediately and report their end later. */
export type ActivityRequestOf<R extends Role> = Requests<Extract<OperationOf<R>, Activities>>
