import { currentGeneration } from '@davit/coordinator-state'
import { type Diagnostic, firstDiagnostics, DavitError } from '@davit/diagnostics'
import { Manifest, parseProfileName } from '@davit/documents'
import { loadArchitecture, writeModel } from '@davit/models'
import type { ArchitectureModel } from '@davit/normalization'
import { describeUnplaced, distributionOf, type FormerPlaces, placesIn, placeServices } from '@davit/placement'
import { currentSystem } from '@davit/store'
import { defineTool, deploymentOf, type ToolContext, usageError } from '@davit/tool'

import { description } from './description.ts'
import { say } from './messages.ts'
import { refuseUnknownCapacity } from './refuse-unknown-capacity.ts'
import { tagsIn } from './tags-in.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    parseProfileName(args.profile)
    const former = await formerPlaces(context)
    const models = await modelsFor(context)
    const { services } = models
    refuseUnknownCapacity(args.capacity, models)
    const terms = { capacity: args.capacity, tags: tagsIn(args.tags, services.keys()), previous: former }
    const { placements, unplaced } = placeServices(models, terms)
    if (unplaced.length > 0) {
      throw unplaceable(unplaced.map((one) => withPlace(describeUnplaced(one, args.capacity), models)))
    }
    const distribution = distributionOf({ placements }, (name) => services.get(name)?.type)
    await print(writeModel(DISTRIBUTION, distribution, args.format))
  },
})

const DISTRIBUTION = { title: 'a distribution model', definition: 'defineDistribution' }

interface Arguments {
  readonly services: string
  readonly infrastructure: string
  readonly extraParams: string | undefined
  readonly showTrace: boolean
  readonly capacity: string | undefined
  readonly previous: string | undefined
  readonly deployed: boolean
  readonly profile: string
}

async function modelsFor({ args, environment, report, signal }: ToolContext<Arguments>): Promise<ArchitectureModel> {
  const { services, infrastructure, extraParams, showTrace, capacity } = args
  const freeAttributes = ['tags', ...(capacity === undefined ? [] : [capacity])]
  const system = currentSystem(environment)
  const options = { environment, report, signal, system, extraParams, showTrace, freeAttributes }
  const models = await loadArchitecture({ services, infrastructure }, options)
  for (const diagnostic of models.warnings ?? []) report({ kind: 'diagnostic', diagnostic })
  return models
}

/** Where services are by the manifest that the user names, or by what was deployed last. */
async function formerPlaces(context: ToolContext<Arguments>): Promise<ReadonlyMap<string, FormerPlaces> | undefined> {
  const { args, readDocument, report } = context
  if (args.previous !== undefined) {
    if (args.deployed) throw usageError('--previous and --deployed cannot be combined', 'omit one of them')
    return placesIn((await readDocument(Manifest, args.previous)).value)
  }
  if (!args.deployed) return undefined
  const { profile, place } = deploymentOf(context)
  const generation = await currentGeneration(place)
  if (generation === undefined) report(say('nothing-to-stay', { profile }))
  return generation && placesIn(generation.manifest)
}

function withPlace(diagnostic: Diagnostic, models: ArchitectureModel): Diagnostic {
  const place = models.placeOf(diagnostic.path ?? [])
  return place === undefined ? diagnostic : { ...diagnostic, place }
}

function unplaceable(diagnostics: readonly Diagnostic[]): DavitError {
  const count = diagnostics.length
  return new DavitError('unplaceable', `${count} ${count === 1 ? 'service' : 'services'} cannot be placed`, {
    exitStatus: 1,
    diagnostics: firstDiagnostics(diagnostics),
    hint: 'add targets, or containers and tags to targets',
  })
}
