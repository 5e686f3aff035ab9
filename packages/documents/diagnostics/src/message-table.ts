import { printableLine } from './printable.ts'

/** Types of fields, by the words that tables of messages use for them; a `?` after the word marks an optional field. */
interface FieldTypes {
  readonly text: string
  readonly number: number
  readonly truth: boolean
  readonly texts: readonly string[]
  readonly numbers: readonly number[]
  /** Target that is shown ahead of a sentence which does not name it. */
  readonly prefix: string
  /** Current generation on the coordinator; the journal records it for the whole run. */
  readonly generation: number
  /** Hint, where only the caller knows what to do. */
  readonly hint: string
}

export type FieldType = keyof FieldTypes | `${keyof FieldTypes}?`
export type FieldTable = Readonly<Record<string, FieldType>>

type TypeOf<Word> = Word extends `${infer Plain}?`
  ? TypeOf<Plain>
  : Word extends keyof FieldTypes
    ? FieldTypes[Word]
    : never
type Optional<Table> = { [Name in keyof Table]: Table[Name] extends `${string}?` ? Name : never }[keyof Table]

/** The fields that a message takes, with the types that its row declares. */
export type FieldsOf<Table> = { readonly [Name in Exclude<keyof Table, Optional<Table>>]: TypeOf<Table[Name]> } & {
  readonly [Name in Optional<Table>]?: TypeOf<Table[Name]> | undefined
}

export type Fields = Readonly<Record<string, FieldTypes[keyof FieldTypes] | undefined>>

/** Stable code of a message, for programs; only tables of messages make them. */
export type MessageCode = string & { readonly __brand: 'MessageCode' }

/** A note, detail or warning that a tool reports while it works; made by `messages`. Details are shown with -v only. */
export interface Message {
  readonly kind: 'note' | 'detail' | 'warning'
  readonly code: MessageCode
  /** The sentence, for people. */
  readonly message: string
  /** Target that is shown ahead of the sentence. */
  readonly target?: string
  readonly hint?: string
  /** Current generation on the coordinator, if the message is about it. */
  readonly generation?: number
  /** The values in the sentence, for programs. */
  readonly fields: Fields
}

/** The definition of one message: its kind, its fields and its sentence. */
export interface MessageRow<Table extends FieldTable = FieldTable> {
  readonly kind: Message['kind']
  readonly fields: Table
  text(fields: FieldsOf<Table>): string
  readonly hint: string | undefined
}

/** A row with any fields. */
type AnyRow = Omit<MessageRow, 'text'> & { text(fields: never): string }

export function note<const Table extends FieldTable>(
  fields: Table,
  text: MessageRow<Table>['text'],
): MessageRow<Table> {
  return { kind: 'note', fields, text, hint: undefined }
}

export function detail<const Table extends FieldTable>(
  fields: Table,
  text: MessageRow<Table>['text'],
): MessageRow<Table> {
  return { kind: 'detail', fields, text, hint: undefined }
}

export function warning<const Table extends FieldTable>(
  fields: Table,
  text: MessageRow<Table>['text'],
  hint?: string,
): MessageRow<Table> {
  return { kind: 'warning', fields, text, hint }
}

type Rows = Readonly<Record<string, AnyRow>>
type Given<Row> =
  Row extends MessageRow<infer Table>
    ? {} extends FieldsOf<Table>
      ? [fields?: FieldsOf<Table>]
      : [fields: FieldsOf<Table>]
    : never

/** Makes the messages of a table; `table` is for programs that list all codes. */
export interface Say<Table extends Rows> {
  <Code extends keyof Table & string>(code: Code, ...given: Given<Table[Code]>): Message
  readonly table: Table
}

/** Defines the messages of a package: a row for each code. */
export function messages<const Table extends Rows>(table: Table): Say<Table> {
  const say = (code: string, given: Fields = {}): Message => {
    const row = table[code]
    if (row === undefined) throw new Error(`unknown message code '${code}'`)
    const { kind, hint } = row
    const message = row.text(withinLine(given) as never)
    return { kind, code: code as MessageCode, message, ...(hint === undefined ? {} : { hint }), ...split(row, given) }
  }
  return Object.assign(say, { table })
}

/** Texts as they stand in a sentence, which is one line. */
function withinLine(given: Fields): Fields {
  const entries = Object.entries(given).map(([name, value]) => [name, textWithinLine(value)] as const)
  return Object.fromEntries(entries)
}

function textWithinLine(value: Fields[string]): Fields[string] {
  if (typeof value === 'string') return printableLine(value)
  const isList = Array.isArray(value) && typeof value[0] === 'string'
  return isList ? (value as readonly string[]).map(printableLine) : value
}

/** Turns a message into a detail, which is shown with -v only. */
export function asDetail(message: Message): Message {
  return { ...message, kind: 'detail' }
}

const LIFTED: Readonly<Record<string, 'target' | 'generation' | 'hint'>> = {
  prefix: 'target',
  generation: 'generation',
  hint: 'hint',
}

/** Separates the fields that are shown in their own way (target, generation, hint) from the others. */
function split(
  { fields: table }: MessageRow,
  given: Fields,
): Pick<Message, 'target' | 'hint' | 'generation' | 'fields'> {
  const known = Object.entries(table).filter(([name]) => given[name] !== undefined)
  const lifted = known.flatMap(([name, word]) => {
    const as = LIFTED[word.replace('?', '')]
    return as === undefined ? [] : [[as, given[name]] as const]
  })
  const plain = known.filter(([, word]) => LIFTED[word.replace('?', '')] === undefined)
  return { ...Object.fromEntries(lifted), fields: Object.fromEntries(plain.map(([name]) => [name, given[name]])) }
}
