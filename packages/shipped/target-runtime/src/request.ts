import type { OperationName, OPERATIONS, Role } from './operations.ts'

type Table = typeof OPERATIONS

/** The words that follow an operation in a request, as its row in the table names them. */
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

/** What helpers of a role can be asked for; of several roles, what all of them can be. */
type OperationOf<R extends Role> = {
  readonly [Name in OperationName]: [R] extends [Table[Name]['roles'][number]] ? Name : never
}[OperationName]

type Requests<Name extends OperationName> = {
  readonly [One in Name]: [operation: One, fields: FieldsOf<One>]
}[Name]

/** What is answered when it is done. */
export type RequestOf<R extends Role> = Requests<Exclude<OperationOf<R>, Activities>>

/** What is answered at once, and whose end is told later. */
export type ActivityRequestOf<R extends Role> = Requests<Extract<OperationOf<R>, Activities>>
