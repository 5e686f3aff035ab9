import { checkUp, isSound } from '@davit/checkup'
import { loadInfrastructure } from '@davit/models'
import { processIdentity } from '@davit/process'
import { defaultStore } from '@davit/store'
import { isHere } from '@davit/target'
import { defineTool, deploymentOf, type ToolContext, trustToLook, version, withTargets } from '@davit/tool'

import { description } from './description.ts'
import { encodeCheckup } from './encode-checkup.ts'
import { renderCheckup } from './render-checkup.ts'
import { type DoctorSource, sourceOf } from './source.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    const source = await sourceOf(context, loadInfrastructure)
    const terms = {
      ...context,
      ...deploymentOf(context),
      ...source,
      store: storeOf(source, context),
      version,
      here: processIdentity(),
    }
    const checkup = await withTargets(
      source.infrastructure,
      { ...context, role: 'check', manifests: [], trust: await trustToLook(context) },
      (reached, openHere) => checkUp(reached, openHere, terms),
    )
    await print(args.format === 'json' ? encodeCheckup(checkup) : renderCheckup(checkup, { ...context, ...args }))
    return isSound(checkup) ? 0 : 2
  },
})

/** The store of the deployment, or else the one that it would get. */
function storeOf({ expected, infrastructure }: DoctorSource, { environment, privileged }: ToolContext<unknown>) {
  const onlyLocalTargets = [...infrastructure.values()].every(isHere)
  return expected?.store ?? defaultStore('native', environment, { privileged, onlyLocalTargets })
}
