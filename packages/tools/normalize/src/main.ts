import { Architecture, encodeDocument } from '@davit/documents'
import { defineTool, handOn } from '@davit/tool'

import { description } from './description.ts'
import { evaluateModels, normalize } from './normalize.ts'
import { printInfrastructure } from './print-infrastructure.ts'

export { description } from './description.ts'
export { evaluateModels, normalize, type NormalizeOptions } from './normalize.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readInput } = context
    const keepsFiles = args.origin !== undefined
    const models = await evaluateModels({ ...args, readStandardInput: () => readInput('-'), keepsFiles }, context)
    if (args.infrastructureOnly) return printInfrastructure(models.model, { ...context, system: models.system })
    const architecture = await normalize(models, args, context)
    // Whoever reads the result finds this in the file.
    await handOn(context, () => ({ models: models.modelFiles() }))
    await print(encodeDocument(Architecture, architecture, 'json'))
  },
})
