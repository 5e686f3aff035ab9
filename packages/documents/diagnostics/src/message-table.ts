/** What a field of a message holds as data, by the word for it in a table; a word with `?` is that of a field that may be missing. */
interface FieldTypes {
  readonly text: string
  readonly number: number
  readonly truth: boolean
  readonly texts: readonly string[]
  readonly numbers: readonly number[]
  /** The target that the line begins with, where the sentence does not name it. */
  readonly prefix: string
  /** The current generation of the coordinator, which the message is about: the journal says so of the whole run. */
  readonly generation: number
  /** What to do, where the caller knows it. */
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

/** The fields that a row asks for, as its table of them says. */
export type FieldsOf<Table> = { readonly [Name in Exclude<keyof Table, Optional<Table>>]: TypeOf<Table[Name]> } & {
  readonly [Name in Optional<Table>]?: TypeOf<Table[Name]> | undefined
}

export type Fields = Readonly<Record<string, FieldTypes[keyof FieldTypes] | undefined>>

/** Stable, for programs; only tables of messages have them. */
export type MessageCode = string & { readonly __brand: 'MessageCode' }

/** Something to be known while a tool works; `messages` makes them. A detail is only shown with -v. */
export interface Message {
  readonly kind: 'note' | 'detail' | 'warning'
  readonly code: MessageCode
  /** For people. */
  readonly message: string
  /** Shown ahead of the sentence. */
  readonly target?: string
  readonly hint?: string
  /** The current one of the coordinator, which the message is about. */
  readonly generation?: number
  /** What the sentence is made of, for programs. */
  readonly fields: Fields
}

/** One code: what is said with it, and of which fields. */
export interface MessageRow<Table extends FieldTable = FieldTable> {
  readonly kind: Message['kind']
  readonly fields: Table
  text(fields: FieldsOf<Table>): string
  readonly hint: string | undefined
}

/** A row, whatever its fields. */
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

/** Makes the messages of a table; the table itself is for those who list codes. */
export interface Say<Table extends Rows> {
  <Code extends keyof Table & string>(code: Code, ...given: Given<Table[Code]>): Message
  readonly table: Table
}

/** All that a package says: each code once, beside the sentence that is made of its fields. */
export function messages<const Table extends Rows>(table: Table): Say<Table> {
  const say = (code: string, given: Fields = {}): Message => {
    const row = table[code]
    if (row === undefined) throw new Error(`there is no message '${code}'`)
    const { kind, hint } = row
    const message = row.text(given as never)
    return { kind, code: code as MessageCode, message, ...(hint === undefined ? {} : { hint }), ...split(row, given) }
  }
  return Object.assign(say, { table })
}

/** The same message, only for those who want to see everything. */
export function asDetail(message: Message): Message {
  return { ...message, kind: 'detail' }
}

const LIFTED: Readonly<Record<string, 'target' | 'generation' | 'hint'>> = {
  prefix: 'target',
  generation: 'generation',
  hint: 'hint',
}

/** Fields that mean something to whoever shows a message, and the others. */
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
