import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refuseForeign } from '@davit/files'

/** Makes a directory for what is brought here, in which nobody else can put anything. */
export function exportDirectory({ TMPDIR }: { readonly TMPDIR?: string }): Promise<string> {
  const parent = TMPDIR || tmpdir()
  refuseForeign(parent)
  return mkdtemp(join(parent, 'davit-export-'))
}
