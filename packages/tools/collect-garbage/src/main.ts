import { collectEverywhere, oldGenerations } from '@davit/collection'
import { currentGeneration, type DeploymentPlace } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { type Infrastructure, Manifest, type StoreReference } from '@davit/documents'
import { defaultStore } from '@davit/store'
import {
  connectionEnvironment,
  defineTool,
  deploymentOf,
  profileOptions,
  stateEnvironment,
  storeEnvironment,
  type ToolContext,
  usageError,
  withTargets,
} from '@davit/tool'

export const tool = defineTool({
  name: 'davit-collect-garbage',
  summary: 'Remove packages that no generation needs from the stores',
  description: [
    'Collects garbage on the coordinator and, with a manifest or --deployed, on its targets. Packages that a generation, an active service, a build or a transfer needs are kept. Packages that a deployment has made or sent are kept for a day; the tool reports how many these are, and until when. --now removes them as well, unless they are less than five minutes old or a deployment holds a lock there.',
    'Logs of activities are removed when their service no longer has a record and they have not been written to for a day; records that --abandon has put aside are removed after thirty days.',
    'With --delete-old, first deletes all generations of the deployment except the current one: those of the coordinator, and on the targets those whose profile is in no remaining generation of the coordinator.',
    'With the Nix store, runs nix-collect-garbage, which also keeps these packages for a day; --now does not change that.',
  ],
  examples: [
    { command: 'davit-collect-garbage --dry-run', describe: 'show what would be removed here, with sizes' },
    {
      command: 'davit-collect-garbage --deployed',
      describe: 'collect on the coordinator and on the targets of the deployment',
    },
    {
      command: 'davit-collect-garbage -d --deployed',
      describe: 'the same, after deleting all old generations',
    },
    {
      command: 'davit-collect-garbage --now --dry-run',
      describe: 'show what would be removed, including packages kept for a day',
    },
  ],
  operands: { manifest: "manifest on whose targets to collect as well, '-' for standard input" },
  options: {
    ...profileOptions,
    deployed: { type: 'boolean', describe: 'use the manifest that was deployed last' },
    'delete-old': { type: 'boolean', short: 'd', describe: 'first delete all generations except the current ones' },
    now: { type: 'boolean', describe: 'also remove what is kept for a day, unless a running deployment needs it' },
    'dry-run': { type: 'boolean', describe: 'print what would be removed, and stop' },
    store: {
      type: 'choice',
      choices: ['native', 'nix'],
      describe: 'kind of store on the coordinator, if no manifest determines it',
    },
  },
  exitStatus: { 1: 'some stores could not be collected', 75: 'a store is being changed; try again later' },
  environment: { ...stateEnvironment, ...storeEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-generations(1)', 'davit-env(1)', 'nix-collect-garbage(1)'],
  interrupted: {
    once: 'everything that is needed is still there; the same command continues',
    twice: 'everything that is needed is still there; the same command continues, and completes what was half removed',
  },
  async run(context) {
    const { args } = context
    const { profile, place } = deploymentOf(context)
    const manifest = await manifestOf(context, place)
    const reference = storeOf(context, manifest ?? (await currentGeneration(place))?.manifest)
    if (manifest !== undefined) checkStore(manifest, reference)
    const old = args.deleteOld ? await oldGenerations(place, profile, manifest) : undefined
    if (!args.dryRun) context.journal({ profile }, 'release')
    const leftovers = args.now ? 'collect' : 'keep'
    const collection = { ...context, reference, old, dryRun: args.dryRun, leftovers } as const
    await withTargets(infrastructureOf(manifest), { ...context, role: 'collect' }, (reached, openHere) =>
      collectEverywhere(reached, openHere, collection),
    )
  },
})

interface Choice {
  readonly deployed: boolean
  readonly manifest: string | undefined
  readonly profile: string
  readonly store: 'native' | 'nix' | undefined
}

/** Manifest on whose targets garbage is collected as well, if any. */
async function manifestOf(
  { args, readDocument }: ToolContext<Choice>,
  place: DeploymentPlace,
): Promise<Manifest | undefined> {
  if (!args.deployed)
    return args.manifest === undefined ? undefined : (await readDocument(Manifest, args.manifest)).value
  if (args.manifest !== undefined) throw usageError('a manifest and --deployed cannot be combined', 'omit one of them')
  const generation = await currentGeneration(place)
  if (generation !== undefined) return generation.manifest
  throw new DavitError('no-generation', `nothing is deployed as '${args.profile}'`, {
    hint: 'name another deployment with -p NAME',
  })
}

function infrastructureOf(manifest: Manifest | undefined): Infrastructure {
  return manifest?.infrastructure ?? new Map()
}

function checkStore({ store }: Manifest, { kind }: StoreReference): void {
  if (store.kind !== kind) throw usageError(`the manifest is for the ${store.kind} store`, 'omit --store')
}

/** Store of the manifest, or else the one that a deployment would choose. */
function storeOf(
  { args, environment, privileged }: ToolContext<Choice>,
  manifest: Manifest | undefined,
): StoreReference {
  const kind = args.store ?? manifest?.store.kind ?? 'native'
  if (manifest?.store.kind === kind) return manifest.store
  return defaultStore(kind, environment, { privileged, onlyLocalTargets: true })
}
