import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { systemErrorCode } from '@davit/files'
import {
  type Derivation,
  derivationPathOf,
  derivationReferences,
  encodeDerivation,
  parseDerivation,
} from './derivation.ts'
import { setTimes } from './package-times.ts'
import type { Registration } from './registration.ts'
import type { StoreContext } from './store-context.ts'
import { packageNameOf } from './store-path.ts'
import { digestPackage } from './tree-digest.ts'

export interface DerivationWriter {
  add(derivation: Derivation): StorePath
  /** Writes the derivations. Call it once everything that they refer to is valid. */
  write(): void
}

/**
 * Writes derivations in a batch, without syncs: readers compare a derivation with its path, and the next run rewrites one
 * that a loss of power has damaged.
 */
export function derivationWriter(context: StoreContext, workspace: string): DerivationWriter {
  const added = new Map<StorePath, { readonly derivation: Derivation; readonly text: string }>()
  return {
    add(derivation) {
      const text = encodeDerivation(derivation)
      const path = derivationPathOf(context.layout.directory, derivation.name, text)
      added.set(path, { derivation, text })
      return path
    },
    write() {
      const missing = [...added].filter(([path, { text }]) => !isWritten(context, path, text))
      const registrations = missing.map(([path, { derivation, text }]) => {
        return {
          path,
          ...digestPackage({ kind: 'file', content: text }),
          references: derivationReferences(derivation),
          system: derivation.system,
        }
      })
      for (const [index, [path, { text }]] of missing.entries()) {
        const temporary = join(workspace, `${index}.drv`)
        writeFileSync(temporary, text)
        chmodSync(temporary, 0o444)
        setTimes(temporary, (registrations[index] as Registration).contentHash)
        renameSync(temporary, path)
      }
      context.registry.prepare(registrations, workspace)
      context.registry.publish(registrations, workspace)
    },
  }
}

/** Reads a derivation, and makes sure that it is the one that its path names. */
export function readDerivation({ layout, registry }: StoreContext, path: StorePath): Derivation {
  registry.get(path)
  const text = readFileSync(path, 'utf8')
  const name = packageNameOf(path).replace(/\.drv$/, '')
  if (derivationPathOf(layout.directory, name, text) === path) return parseDerivation(text)
  throw new DavitError('bad-derivation', `'${path}' is damaged`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'run davit-normalize again; it rewrites the file',
  })
}

function isWritten({ registry }: StoreContext, path: StorePath, text: string): boolean {
  return registry.find(path) !== undefined && readIfPresent(path) === text
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
