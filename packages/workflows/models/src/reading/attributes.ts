import { entriesOf, membersOf, type Part, refuse } from './part.ts'

/** The members of a record; readers read them and record their problems. */
export interface Attributes {
  readonly members: ReadonlyMap<string, Part>
  read<Value>(name: string, reader: Reader<Value>): Value | undefined
  /** Reads a required attribute; refuses the record if it is missing. */
  demand<Value>(name: string, reader: Reader<Value>, complaint: Complaint): Value | undefined
  /** Reads a table; empty when absent. */
  table<Key, Value>(name: string, reader: Reader<ReadonlyMap<Key, Value>>): ReadonlyMap<Key, Value>
}

export type Reader<Value> = (part: Part) => Value | undefined

export interface Complaint {
  readonly message: string
  readonly hint?: string
}

export function attributesOf(part: Part, expected: string): Attributes {
  const members = membersOf(part, expected)
  const isTable = entriesOf(part.value) !== undefined
  function read<Value>(name: string, reader: Reader<Value>): Value | undefined {
    const member = members.get(name)
    return member === undefined ? undefined : reader(member)
  }
  return {
    members,
    read,
    demand(name, reader, { message, hint }) {
      if (isTable && !members.has(name)) refuse(part, message, hint)
      return read(name, reader)
    },
    table: (name, reader) => read(name, reader) ?? new Map(),
  }
}
