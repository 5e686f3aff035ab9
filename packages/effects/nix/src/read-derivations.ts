import type { StorePath } from '@davit/documents'
import { invalidPath } from './add-content.ts'
import { type NixDerivation, parseDerivation } from './derivation.ts'
import type { PathInfo } from './path-info.ts'
import type { ServeClient } from './serve-client.ts'
import { protocolError } from './serve-errors.ts'
import { encodeRequest } from './serve-wire.ts'

const MAX_DERIVATION_BYTES = 64 * 1024 * 1024
const FILE_HEADER = encodeRequest(['nix-archive-1', '(', 'type', 'regular', 'contents'])
const LENGTH_BYTES = 8

/** Reads derivations of a store, in the order of their paths in the request. */
export async function readDerivations(
  client: ServeClient,
  paths: readonly StorePath[],
): Promise<readonly NixDerivation[]> {
  const infos = new Map((await client.pathInfos(paths)).map((info) => [info.path, info]))
  const asked = paths.map((path) => {
    const info = infos.get(path)
    if (info === undefined) throw invalidPath(path)
    return { path, archive: readBounded(client, info) }
  })
  const derivations: NixDerivation[] = []
  for (const { path, archive } of asked) derivations.push(parseDerivation(path, textIn(await archive, path)))
  return derivations
}

async function readBounded(client: ServeClient, info: PathInfo): Promise<Buffer> {
  if (info.narSize > MAX_DERIVATION_BYTES)
    throw protocolError(`'${info.path}' has ${info.narSize} bytes, too many for a derivation`)
  const chunks: Uint8Array[] = []
  for await (const chunk of client.dump(info)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function textIn(archive: Buffer, path: StorePath): string {
  const start = FILE_HEADER.length + LENGTH_BYTES
  if (archive.length < start || !archive.subarray(0, FILE_HEADER.length).equals(FILE_HEADER)) {
    throw protocolError(`'${path}' is not a file`)
  }
  const length = Number(archive.readBigUInt64LE(FILE_HEADER.length))
  return archive.toString('utf8', start, start + length)
}
