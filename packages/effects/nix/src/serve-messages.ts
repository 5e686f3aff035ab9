import type { StorePath } from '@davit/documents'
import type { PathInfo } from './path-info.ts'
import { protocolError } from './serve-errors.ts'
import type { RequestPart, WireReader } from './serve-wire.ts'
import { isStorePath } from './store-path.ts'

const MAX_PATHS = 1_000_000
const MAX_SIGNATURES = 1000
const HASH_PREFIX = 'sha256:'
const NAR_HASH = /^sha256:[0-9a-z]{52}$/

export async function readValidPaths(reader: WireReader, asked: readonly StorePath[]): Promise<ReadonlySet<StorePath>> {
  const known = new Set<string>(asked)
  const valid = (await reader.texts({ limit: known.size })).map((text) => pathOf(text))
  for (const path of valid) if (!known.has(path)) throw protocolError(`'${path}' was not requested`)
  return new Set(valid)
}

export async function readClosure(reader: WireReader): Promise<readonly StorePath[]> {
  return (await reader.texts({ limit: MAX_PATHS })).map((text) => pathOf(text))
}

export async function readPathInfos(reader: WireReader, asked: readonly StorePath[]): Promise<readonly PathInfo[]> {
  const left = new Set<string>(asked)
  const infos: PathInfo[] = []
  for (let path = await reader.text(); path !== ''; path = await reader.text()) {
    if (!left.delete(path)) throw protocolError(`'${path}' was not requested`)
    infos.push(await readPathInfo(reader, pathOf(path)))
  }
  return infos
}

async function readPathInfo(reader: WireReader, path: StorePath): Promise<PathInfo> {
  const deriver = await reader.text()
  const references = (await reader.texts({ limit: MAX_PATHS })).map((text) => pathOf(text))
  await reader.number() // how much a download would take
  const narSize = await reader.number()
  const narHash = await reader.text()
  if (!NAR_HASH.test(narHash)) throw protocolError(`'${narHash}' is not the hash of an archive`)
  const contentAddress = await reader.text()
  const signatures = await reader.texts({ limit: MAX_SIGNATURES })
  return {
    path,
    ...(deriver === '' ? {} : { deriver: pathOf(deriver) }),
    references,
    narSize,
    narHash,
    contentAddress,
    signatures,
  }
}

/** Request that precedes the archive; the hash is sent without its prefix. */
export function addRequest(info: PathInfo): readonly RequestPart[] {
  return [
    info.path,
    info.deriver ?? '',
    info.narHash.slice(HASH_PREFIX.length),
    info.references,
    0, // registered now
    info.narSize,
    0, // not built here
    info.signatures,
    info.contentAddress,
  ]
}

function pathOf(text: string): StorePath {
  if (isStorePath(text)) return text
  throw protocolError(`'${text}' is not a store path`)
}
