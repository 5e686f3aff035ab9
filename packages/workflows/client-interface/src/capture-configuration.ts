import type { Readable } from 'node:stream'

import { writeNix } from '@davit/languages'
import { badAnswer } from '@davit/target'

import { type Client, perform } from './client.ts'

/** Settings of a machine for Dysnomia as an expression of Nix; undefined if they cannot be read there. */
export async function captureConfiguration(client: Client): Promise<string | undefined> {
  const chunks: Buffer[] = []
  const receive = async (stdout: Readable) => {
    for await (const chunk of stdout as AsyncIterable<Buffer>) chunks.push(chunk)
  }
  const status = await perform(client, { operation: 'capture_config', receive })
  if (status !== 0) return undefined
  return `${writeNix(expressionOf(Buffer.concat(chunks).toString(), client.connection.address))}\n`
}

type Settings = Map<string, string | readonly string[]>

function expressionOf(lines: string, address: string): unknown {
  const { properties, containers } = settingsIn(lines, address)
  const system = properties?.get('system')
  return new Map<string, unknown>([
    ...(properties === undefined ? [] : [['properties', properties] as const]),
    ['containers', containers],
    ...(system === undefined ? [] : [['system', system] as const]),
  ])
}

function settingsIn(lines: string, address: string) {
  const containers = new Map<string, Settings>()
  let properties: Settings | undefined
  let current: Settings = new Map()
  for (const line of lines.split('\n').filter((text) => text !== '')) {
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

function fromWord(word: string, address: string): string {
  const hexadecimal = /^x((?:[0-9a-f]{2})*)$/.exec(word)?.[1]
  if (hexadecimal === undefined) throw badAnswer(address)
  return Buffer.from(hexadecimal, 'hex').toString()
}
