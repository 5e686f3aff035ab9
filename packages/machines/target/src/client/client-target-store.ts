import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { withTemporaryDirectory } from '@davit/files'
import { isStorePath } from '@davit/nix'
import type { NixStore } from '@davit/store'

import {
  notValidThere,
  type TargetBuildOptions,
  type TargetBuildOutcome,
  type TargetStore,
  type TransferOptions,
  type Transferred,
} from '../target-store.ts'
import type { Client, ClientOperation } from './client.ts'
import { clientNonsense, clientOmits } from './client-errors.ts'

/** The Nix store of a machine that is reached through a client executable. */
export function clientTargetStore(client: Client, store: NixStore): TargetStore {
  const place = { client, store }
  return {
    missing: (paths, { signal } = {}) => invalidThere(client, paths, signal),
    send: (paths, { signal }) => sendPaths(place, paths, signal),
    // The protocol has no operation for that. The profile protects its packages once it is set.
    protect: async () => {},
    markAltered: async () => [],
    build: (derivations, options) => buildThere(client, derivations, options),
    async fetch(derivations, options) {
      const outputs = await store.outputs(derivations)
      return bringPaths(place, [...outputs.values()].flat(), options)
    },
    async bring(paths, options) {
      const lacking = await invalidThere(client, paths, options.signal)
      if (lacking.length > 0) throw notValidThere(client.address, lacking)
      const brought = await bringPaths(place, paths, options)
      await store.protect(paths)
      return brought
    },
  }
}

interface Place {
  readonly client: Client
  readonly store: NixStore
}

/** A client may pass all paths on as one argument of a program, which may have 128 kB. */
const PATHS_A_CALL = 400

function groupsOf(paths: readonly StorePath[]): readonly (readonly StorePath[])[] {
  const starts = Array.from({ length: Math.ceil(paths.length / PATHS_A_CALL) }, (_, index) => index * PATHS_A_CALL)
  return starts.map((start) => paths.slice(start, start + PATHS_A_CALL))
}

async function pathsOf(
  client: Client,
  operation: ClientOperation,
  { paths, signal }: { readonly paths: readonly StorePath[]; readonly signal?: AbortSignal | undefined },
): Promise<readonly StorePath[]> {
  const lines: string[] = []
  for (const some of groupsOf(paths)) lines.push(...(await client.call(operation, some, { signal })))
  return lines.map((line) => {
    if (!isStorePath(line)) throw clientNonsense({ ...client, operation }, line)
    return line
  })
}

async function invalidThere(
  client: Client,
  paths: readonly StorePath[],
  signal: AbortSignal | undefined,
): Promise<readonly StorePath[]> {
  const invalid = new Set(await pathsOf(client, 'print-invalid', { paths, signal }))
  const missing = paths.filter((path) => invalid.delete(path))
  const [other] = invalid
  if (other !== undefined) throw clientNonsense({ ...client, operation: 'print-invalid' }, other)
  return missing
}

/** Sends files of `nix-store --export`, each of which needs nothing but those before. */
async function sendPaths({ client, store }: Place, paths: readonly StorePath[], signal: AbortSignal) {
  let bytes = 0
  for (const some of groupsOf(paths)) {
    signal.throwIfAborted()
    bytes += await withTemporaryDirectory({}, async (directory) => {
      const file = join(directory, 'closure')
      await store.exportPaths(some, { file, signal })
      const { size } = await stat(file)
      await client.call('import', ['--localfile', file], { signal, seconds: 'unlimited' })
      return size
    })
  }
  // Whether the client has really imported them.
  const [missing] = await invalidThere(client, paths, signal)
  if (missing !== undefined) throw notImported(client, missing)
  return { paths: paths.length, bytes }
}

function notImported({ executable, address }: Client, path: StorePath): DavitError {
  return new DavitError(
    'client-failed',
    `'${executable}' reported no error, but '${path}' is not valid on '${address}'`,
  )
}

async function bringPaths(
  { client, store }: Place,
  paths: readonly StorePath[],
  { signal }: TransferOptions,
): Promise<Transferred> {
  const closure = new Set(await pathsOf(client, 'query-requisites', { paths, signal }))
  const omitted = paths.find((path) => !closure.has(path))
  if (omitted !== undefined) throw clientOmits({ ...client, operation: 'query-requisites' }, omitted)
  const missing = new Set(await store.invalidPaths([...closure]))
  let bytes = 0
  for (const some of groupsOf([...closure].filter((path) => missing.has(path)))) {
    const [file = ''] = await client.call('export', ['--remotefile', ...some], { signal, seconds: 'unlimited' })
    if (!(await isExported(file))) throw clientNonsense({ ...client, operation: 'export' }, file)
    try {
      bytes += (await stat(file)).size
      await store.importPaths({ file, signal })
    } finally {
      await rm(file, { force: true })
    }
  }
  return { paths: missing.size, bytes }
}

/** Whether a file begins as those of `nix-store --export` do. Others are not removed, since they belong to somebody else. */
async function isExported(path: string): Promise<boolean> {
  if (!path.startsWith('/') || !(await stat(path).catch(() => undefined))?.isFile()) return false
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0)
    return bytesRead === 8 && buffer.readBigUInt64LE() <= 1n
  } finally {
    await file.close()
  }
}

async function buildThere(
  client: Client,
  derivations: readonly StorePath[],
  { cores, signal }: TargetBuildOptions,
): Promise<readonly TargetBuildOutcome[]> {
  const outcomes: TargetBuildOutcome[] = []
  const waiting = derivations.entries()
  const worker = async () => {
    for (const [index, derivation] of waiting) outcomes[index] = await buildOne(client, derivation, signal)
  }
  await Promise.all(Array.from({ length: Math.max(1, cores) }, worker))
  return outcomes
}

async function buildOne(client: Client, derivation: StorePath, signal: AbortSignal): Promise<TargetBuildOutcome> {
  try {
    await client.call('realise', [derivation], { signal, seconds: 'unlimited' })
    return { kind: 'built' }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof DavitError)) throw error
    return { kind: 'failed', reason: error.message, logEnd: '' }
  }
}
