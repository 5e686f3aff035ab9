import type { Readable } from 'node:stream'

import { writeNix } from '@davit/languages'

import { type Client, perform } from './client.ts'
import { settingsIn } from './settings.ts'

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

function expressionOf(text: string, address: string): unknown {
  const { properties, containers } = settingsIn(
    text.split('\n').filter((line) => line !== ''),
    address,
  )
  const system = properties?.get('system')
  return new Map<string, unknown>([
    ...(properties === undefined ? [] : [['properties', properties] as const]),
    ['containers', containers],
    ...(system === undefined ? [] : [['system', system] as const]),
  ])
}
