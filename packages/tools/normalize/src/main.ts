import { traced } from '@davit/diagnostics'
import { Architecture, encodeDocument } from '@davit/documents'
import { type GivenSource, loadArchitecture } from '@davit/models'
import { modulesOf } from '@davit/modules'
import { architectureOf, normalizeModel } from '@davit/normalization'
import { currentSystem, defaultStore, openStore } from '@davit/store'
import { defineTool, handOn } from '@davit/tool'
import { description } from './description.ts'
import { modelFilesIn } from './model-files.ts'
import { modelFilesOf } from './model-options.ts'
import { hasOnlyLocalTargets } from './only-local-targets.ts'
import { printInfrastructure } from './print-infrastructure.ts'
import { typesWithoutModule } from './types-without-module.ts'
import { storeKindFor } from './store-kind.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readInput, report, trace, environment, privileged, workingDirectory } = context
    const timed = <Result>(name: string, work: () => Result | Promise<Result>) =>
      traced(trace, { kind: 'work', name }, work)
    const system = currentSystem(environment)
    const files = modelFilesOf(args)
    let sources: readonly GivenSource[] = []
    const loading = {
      system,
      environment,
      get signal() {
        return context.signal
      },
      report,
      extraParams: args.extraParams,
      targetProperty: args.targetProperty,
      showTrace: args.showTrace ?? false,
      readStandardInput: async () => ({ ...(await readInput('-')), workingDirectory }),
      tellSources: args.origin === undefined ? undefined : (told: readonly GivenSource[]) => (sources = told),
    }
    const model = await timed('evaluate models', () => loadArchitecture(files, loading))
    if (args.infrastructureOnly) return printInfrastructure(model, { ...context, system })
    const onlyLocalTargets = hasOnlyLocalTargets(model, args.interface)
    const kind = storeKindFor(model, { wanted: args.store, files, system, clientInterface: args.interface })
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
    // Whoever reads the result finds this in the file.
    await handOn(context, () => ({ models: modelFilesIn(sources) }))
    await print(encodeDocument(Architecture, architectureOf(normalized, packages), 'json'))
  },
})
