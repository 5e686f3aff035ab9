import { badAnswer } from '@davit/target'

/** Texts and lists of texts by name. */
export type Settings = ReadonlyMap<string, string | readonly string[]>

export interface MachineSettings {
  /** Undefined if the machine has no file of properties. */
  readonly properties: Settings | undefined
  readonly containers: ReadonlyMap<string, Settings>
}

/** Reads lines `properties`, `container NAME`, `text NAME VALUE` and `list NAME VALUE...`; the last two belong to the line above them. */
export function settingsIn(lines: readonly string[], address: string): MachineSettings {
  const containers = new Map<string, Settings>()
  let properties: Settings | undefined
  let current = new Map<string, string | readonly string[]>()
  for (const line of lines) {
    const [kind = '', ...words] = line.trimEnd().split(' ')
    const [name = '', ...values] = words.map((word) => fromWord(word, address))
    if (kind === 'properties') properties = current = new Map()
    else if (kind === 'container') containers.set(name, (current = new Map()))
    else current.set(name, valueOf(kind, values) ?? refuse(address))
  }
  return { properties, containers }
}

function valueOf(kind: string, values: readonly string[]): string | readonly string[] | undefined {
  if (kind === 'list') return values
  return kind === 'text' ? (values[0] ?? '') : undefined
}

function refuse(address: string): never {
  throw badAnswer(address)
}

/** Decodes a word in hexadecimal behind an `x`. */
export function fromWord(word: string, address: string): string {
  const hexadecimal = /^x((?:[0-9a-f]{2})*)$/.exec(word)?.[1]
  if (hexadecimal === undefined) throw badAnswer(address)
  return Buffer.from(hexadecimal, 'hex').toString()
}
