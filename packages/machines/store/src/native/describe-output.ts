import type { StorePath } from '@davit/documents'
import type { Derivation } from './derivation.ts'
import { referenceScan } from './reference-scan.ts'
import type { Registration } from './registration.ts'
import { sealTree } from './seal-tree.ts'

export interface OutputTree {
  /** Where it is now, on the file system of the store. */
  readonly tree: string
  readonly output: StorePath
  readonly derivationPath: StorePath
  readonly derivation: Derivation
  /** Paths that the build could read. */
  readonly inputs: readonly StorePath[]
}

/** Normalizes an output, and makes its registration. */
export async function describeOutput(made: OutputTree): Promise<Registration> {
  const { tree, output, derivationPath, derivation, inputs } = made
  const scan = referenceScan([...inputs, output])
  const digest = await sealTree(tree, (chunk) => scan.visit(chunk))
  return { path: output, ...digest, references: scan.found(), deriver: derivationPath, system: derivation.system }
}
