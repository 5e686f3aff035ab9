// Realises the derivation that is its argument, and waits for it.
import { environment } from '@davit/process'
import type { StorePath } from '@davit/documents'

import { realiseDerivations } from '../../src/nix.ts'

await realiseDerivations([process.argv[2] as StorePath], {
  environment: environment(),
  signal: new AbortController().signal,
  onEvent: () => {},
  isBuilt: async () => new Set(),
})
