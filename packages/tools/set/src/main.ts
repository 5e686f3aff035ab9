import { Manifest } from '@davit/documents'
import { defineTool, readOrigin } from '@davit/tool'

import { description } from './description.ts'
import { recordDeployment } from './record-deployment.ts'

export { description } from './description.ts'
export { recordDeployment, type SetOptions } from './record-deployment.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument } = context
    const manifest = await readDocument(Manifest, args.manifest)
    await recordDeployment({ ...manifest, madeFrom: await readOrigin(context) }, args, context)
    await print(manifest.text)
  },
})
