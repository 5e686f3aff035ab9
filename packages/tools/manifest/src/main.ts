import { traced } from '@davit/diagnostics'
import { Architecture, encodeDocument, Manifest } from '@davit/documents'
import { loadDeploymentModel } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { completeDeployment, realise } from '@davit/realisation'
import { currentSystem, openStore } from '@davit/store'
import {
  defineTool,
  formatOptions,
  interfaceOptions,
  moduleOptions,
  outputOptions,
  sizeEnvironment,
  storeEnvironment,
  usageError,
} from '@davit/tool'

export const tool = defineTool({
  name: 'davit-manifest',
  summary: 'Build what an architecture needs and print the manifest',
  description: [
    'Builds the packages that the store lacks, in parallel, makes a profile for each target, and prints the manifest, which lists what is to be deployed.',
    'Types without a lifecycle module are found before anything is built.',
  ],
  examples: [
    {
      command: 'davit-normalize -A architecture.yaml | davit-manifest > manifest.xml',
      describe: 'from an architecture',
    },
    { command: 'davit-manifest --format json architecture.json', describe: 'as JSON' },
    { command: 'davit-manifest -D deployment.yaml', describe: 'from a deployment model, whose packages exist already' },
  ],
  operands: { architecture: 'normalized architecture, as davit-normalize prints it' },
  options: {
    deployment: {
      type: 'string',
      short: 'D',
      value: 'FILE',
      describe: 'deployment model, instead of an architecture',
    },
    ...moduleOptions,
    'max-jobs': {
      type: 'integer',
      short: 'j',
      value: 'N',
      minimum: 1,
      describe: 'how many packages to build at a time; without it, one per processor, or the setting of Nix',
    },
    ...interfaceOptions,
    ...formatOptions,
    ...outputOptions,
  },
  exitStatus: { 1: 'a package could not be built' },
  environment: { ...storeEnvironment, ...sizeEnvironment },
  seeAlso: ['davit-normalize(1)', 'davit-distribute(1)'],
  holdsMuch: true,
  interrupted: {
    once: 'no target was touched; finished builds are kept, and the same command builds the rest',
    twice: 'no target was touched; finished builds are kept, and the same command builds the rest',
  },
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
      const store = await openStore(architecture.store, context)
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
      return completeDeployment(model, {
        file,
        system: currentSystem(context.environment),
        clientInterface,
        targetProperty,
      })
    }
  },
})
