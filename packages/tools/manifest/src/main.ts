import { traced } from '@davit/diagnostics'
import { Architecture, encodeDocument, Manifest } from '@davit/documents'
import { loadDeploymentModel } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { completeDeployment, completeProfiles, realise } from '@davit/realisation'
import { currentSystem, openStore } from '@davit/store'
import { defineTool, usageError } from '@davit/tool'
import { description } from './description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    if (args.deployment !== undefined && args.architecture !== undefined) {
      throw usageError(
        'an architecture and a deployment model exclude each other',
        'pass either -D FILE or an architecture',
      )
    }
    const manifest = args.deployment === undefined ? await fromArchitecture() : await fromDeployment(args.deployment)
    await print(encodeDocument(Manifest, manifest, args.format))

    async function fromArchitecture(): Promise<Manifest> {
      const { value: architecture } = await context.readDocument(Architecture, args.architecture)
      const modules = await modulesOf(args.modules)
      const store = await openStore(architecture.store, { ...context, trustsBuilds: args.trustBuilds })
      const options = {
        ...context,
        store,
        system: currentSystem(context.environment),
        modules,
        ...(args.maxJobs === undefined ? {} : { maxJobs: args.maxJobs }),
      }
      return traced(context.trace, { kind: 'work', name: 'realise' }, () => realise(architecture, options))
    }

    async function fromDeployment(file: string): Promise<Manifest> {
      const { interface: clientInterface, targetProperty } = args
      const model = await loadDeploymentModel(file, context)
      const manifest = completeDeployment(model, {
        file,
        system: currentSystem(context.environment),
        clientInterface,
        targetProperty,
      })
      const modules = await modulesOf(args.modules)
      return completeProfiles(manifest, { ...context, modules, openStore: () => openStore(manifest.store, context) })
    }
  },
})
