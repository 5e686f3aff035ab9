import { extname } from 'node:path'
import { tmpdir } from 'node:os'
import { realpath } from 'node:fs/promises'
import { DeploymentModel, parseDocument, validateDocument } from '@davit/documents'
import { readTextFile, withTemporaryDirectory } from '@davit/files'
import { loadModel } from './load-models.ts'
import { evaluateModel } from './model.ts'

/** A deployment model in any language, as far as the author says it: sections may be absent. */
export async function loadDeploymentModel(file: string): Promise<DeploymentModel> {
  if (['.xml', '.json'].includes(extname(file)))
    return parseDocument(DeploymentModel, await readTextFile(file), { file })
  return withTemporaryDirectory(await realpath(tmpdir()), async (directory) => {
    const model = await loadModel(file, directory)
    const data = await evaluateModel(model, {})
    return validateDocument(DeploymentModel, data, { file, placeOf: (path) => model.placeOf(path) })
  })
}
