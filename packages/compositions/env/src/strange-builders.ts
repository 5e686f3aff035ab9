import { DavitError } from '@davit/diagnostics'
import { Architecture, type Infrastructure, parseDocument } from '@davit/documents'
import { refuseStrangePrograms, type Trust } from '@davit/tool'

/** Refuses to build on targets whose client executables may not be started. */
export function refuseStrangeBuilders(architecture: string, trust: Trust): void {
  if (trust === 'everything') return
  const infrastructure = infrastructureIn(architecture)
  if (infrastructure !== undefined) refuseStrangePrograms(infrastructure, trust)
}

/** Undefined if it is not an architecture: davit-delegate-build says what is wrong with it, before it builds anything. */
function infrastructureIn(architecture: string): Infrastructure | undefined {
  try {
    return parseDocument(Architecture, architecture, { file: 'the models' }).infrastructure
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    return undefined
  }
}
