import { traced } from '@davit/diagnostics'
import { Architecture, encodeDocument } from '@davit/documents'
import { loadArchitecture } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { architectureOf, normalizeModel } from '@davit/normalization'
import { currentSystem, defaultStore, openStore } from '@davit/store'
import {
  defineTool,
  interfaceOptions,
  moduleOptions,
  outputOptions,
  sizeEnvironment,
  storeEnvironment,
} from '@davit/tool'
import { modelFilesOf, modelOptions } from './model-options.ts'
import { hasOnlyLocalTargets } from './only-local-targets.ts'
import { typesWithoutModule } from './types-without-module.ts'
import { storeKindFor } from './store-kind.ts'

export const tool = defineTool({
  name: 'davit-normalize',
  summary: 'Evaluate models and print the normalized architecture',
  description: [
    'Fills in every default, resolves targets, containers and inter-dependencies, and puts sources and derivations of the packages into the store. Builds nothing.',
    'Models are written in TypeScript, JavaScript, YAML, JSON or the Nix language, and may be mixed.',
  ],
  examples: [
    {
      command: 'davit-normalize -s services.yaml -i infrastructure.yaml -d distribution.yaml',
      describe: 'from three models',
    },
    {
      command: 'davit-normalize --undeploy -i infrastructure.ts | davit-manifest',
      describe: 'a manifest without services',
    },
  ],
  options: {
    ...modelOptions,
    ...interfaceOptions,
    ...moduleOptions,
    ...outputOptions,
    store: {
      type: 'choice',
      choices: ['native', 'nix'],
      env: ['DAVIT_STORE'],
      describe: 'store for packages; without it, nix if they are in the Nix language, otherwise native',
    },
    'show-trace': { type: 'boolean', describe: 'show everything that Nix prints about an error in a model' },
    'deploy-state': {
      type: 'boolean',
      env: ['DAVIT_DEPLOY_STATE', 'DISNIX_DEPLOY_STATE'],
      describe: "move the state of services that do not set 'deployState'",
    },
  },
  environment: { ...storeEnvironment, ...sizeEnvironment },
  seeAlso: ['davit-manifest(1)', 'davit-env(1)'],
  holdsMuch: true,
  interrupted: {
    once: 'no target was touched; run the same command again',
    twice: 'no target was touched; run the same command again',
  },
  async run({ args, print, report, trace, environment, privileged, signal }) {
    const timed = <Result>(name: string, work: () => Result | Promise<Result>) =>
      traced(trace, { kind: 'work', name }, work)
    const system = currentSystem(environment)
    const files = modelFilesOf(args)
    const loading = {
      system,
      environment,
      signal,
      report,
      extraParams: args.extraParams,
      targetProperty: args.targetProperty,
      showTrace: args.showTrace ?? false,
    }
    const model = await timed('evaluate models', () => loadArchitecture(files, loading))
    const onlyLocalTargets = hasOnlyLocalTargets(model, args.interface)
    const kind = storeKindFor(model, { wanted: args.store, files, system })
    const store = await openStore(defaultStore(kind, environment, { privileged, onlyLocalTargets }), { environment })
    const normalization = {
      clientInterface: args.interface,
      targetProperty: args.targetProperty,
      deployState: args.deployState ?? false,
      system,
      store: store.reference,
    }
    const normalized = await timed('normalize', () => normalizeModel(model, normalization))
    const modules = [...(await modulesOf(args.modules)).keys()]
    const strange = typesWithoutModule(normalized.architecture, { modules, placeOf: (path) => model.placeOf(path) })
    for (const diagnostic of [...normalized.warnings, ...strange]) report({ kind: 'diagnostic', diagnostic })
    const packages = await timed('instantiate packages', () => store.instantiate(normalized.packageRequests))
    await print(encodeDocument(Architecture, architectureOf(normalized, packages), 'json'))
  },
})
