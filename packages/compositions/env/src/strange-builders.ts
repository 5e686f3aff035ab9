import { Architecture, parseDocument } from '@davit/documents'
import { refuseStrangePrograms, type Trust } from '@davit/tool'

/** Refuses to build on targets whose client executables may not be started. */
export function refuseStrangeBuilders(architecture: string, trust: Trust): void {
  if (trust === 'everything') return
  refuseStrangePrograms(parseDocument(Architecture, architecture, { file: 'the models' }).infrastructure, trust)
}
