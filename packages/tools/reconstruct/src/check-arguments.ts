import type { StoreReference } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { usageError } from '@davit/tool'

import type { ModelLanguage } from './model-languages.ts'

interface Arguments {
  readonly as: ModelLanguage | undefined
  readonly output: string | undefined
  readonly format: 'xml' | 'json' | undefined
}

/** Refuses options for the manifest where models are written in its place. */
export function refuseUnused({ as, output, format }: Arguments): void {
  if (as === undefined) return
  const hint = 'omit it, or --as; --directory says where --as writes the models'
  if (output !== undefined) throw usageError('--as prints no manifest that --output could write', hint)
  if (format !== undefined) throw usageError('--as prints no manifest that could have a --format', hint)
}

/** Format of the manifest. */
export function formatIn({ format = 'xml' }: Pick<Arguments, 'format'>): 'xml' | 'json' {
  return format
}

/** Refuses to write models that cannot be deployed: the Nix language can only name packages of the Nix store. */
export function refuseUnfit(language: ModelLanguage | undefined, { kind }: StoreReference): void {
  if (language !== 'nix' || kind === 'nix') return
  throw new DavitError('wrong-store', 'models in the Nix language cannot name packages of a native store', {
    exitStatus: ExitStatus.usage,
    hint: 'write them with --as yaml or --as typescript',
  })
}
