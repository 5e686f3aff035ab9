import { Architecture, encodeDocument, Manifest } from '@davit/documents'
import { defineTool, usageError } from '@davit/tool'

import { description } from './description.ts'
import { manifestOfArchitecture, manifestOfDeployment } from './make-manifest.ts'

export { description } from './description.ts'
export { manifestOfArchitecture, manifestOfDeployment, type ManifestOptions } from './make-manifest.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument } = context
    if (args.deployment !== undefined && args.architecture !== undefined) {
      throw usageError(
        'an architecture and a deployment model exclude each other',
        'pass either -D FILE or an architecture',
      )
    }
    const manifest =
      args.deployment === undefined
        ? await manifestOfArchitecture((await readDocument(Architecture, args.architecture)).value, args, context)
        : await manifestOfDeployment(args.deployment, args, context)
    await print(encodeDocument(Manifest, manifest, args.format))
  },
})
