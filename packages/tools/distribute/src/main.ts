import { Manifest } from '@davit/documents'
import { defineTool } from '@davit/tool'

import { description } from './description.ts'
import { distributePackages } from './distribute-packages.ts'

export { description } from './description.ts'
export { distributePackages } from './distribute-packages.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument } = context
    const manifest = await readDocument(Manifest, args.manifest)
    const altered = await distributePackages(manifest, args, context)
    await print(altered.length > 0 ? altered.map((path) => `${path}\n`).join('') : manifest.text)
  },
})
