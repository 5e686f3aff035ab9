import { currentGeneration, type DeploymentPlace } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { Manifest, type StoreReference } from '@davit/documents'
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
} from '@davit/tool'

import { collectEverywhere } from './collect-everywhere.ts'
import { oldGenerations } from './old-generations.ts'

export const tool = defineTool({
  name: 'davit-collect-garbage',
  summary: 'Remove packages that no generation needs from the stores',
  description: [
    'On the coordinator, and, with a manifest or --deployed, on its targets. What a generation, what is active, or what is being built or sent needs remains; so does for a day what a deployment has made or sent, of which it is told how much that is, and until when. With --now that goes as well, unless it is less than five minutes old, or a deployment holds a lock there.',
    'Logs of activities go where no record of their service is left and nobody has written there for a day; records that --abandon has put aside go after thirty days.',
    'With --delete-old, first deletes all generations of the deployment but the current one: those of the coordinator, and on the targets those whose profile no remaining generation of the coordinator names.',
    'Where the store is that of Nix, runs nix-collect-garbage there, which keeps for a day what is kept for a day; --now does not change that.',
  ],
  examples: [
    { command: 'davit-collect-garbage --dry-run', describe: 'show what the coordinator would remove, with sizes' },
    {
      command: 'davit-collect-garbage --deployed',
      describe: 'on the coordinator and on the targets of the deployment',
    },
    {
      command: 'davit-collect-garbage -d --deployed',
      describe: 'there as well, after all old generations are deleted',
    },
    { command: 'davit-collect-garbage --now --dry-run', describe: 'show what would go with what is kept for a day' },
  ],
  operands: { manifest: "manifest whose targets are collected as well, '-' for standard input" },
  options: {
    ...profileOptions,
    deployed: { type: 'boolean', describe: 'take the manifest that was deployed last' },
    'delete-old': { type: 'boolean', short: 'd', describe: 'first delete all generations but the current ones' },
    now: { type: 'boolean', describe: 'also what is kept for a day, unless a deployment that runs needs it' },
    'dry-run': { type: 'boolean', describe: 'print what would be removed, and stop' },
    store: {
      type: 'choice',
      choices: ['native', 'nix'],
      describe: 'which store of the coordinator, when no manifest says it',
    },
  },
  exitStatus: { 1: 'some stores could not be collected', 75: 'a store is being changed: try again later' },
  environment: { ...stateEnvironment, ...storeEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-generations(1)', 'davit-env(1)', 'nix-collect-garbage(1)'],
  interrupted: {
    once: 'what was removed is gone, and all that is needed is there: the same command goes on',
    twice: 'all that is needed is there; the same command goes on, and removes what this one has half removed',
  },
  async run(context) {
    const { args } = context
    const { profile, place } = deploymentOf(context)
    const manifest = await manifestOf(context, place)
    const reference = storeOf(context, manifest ?? (await currentGeneration(place))?.manifest)
    const isOther = manifest !== undefined && manifest.store.kind !== reference.kind
    if (isOther) throw usageError(`the manifest is for the ${manifest.store.kind} store`, 'leave out --store')
    const old = args.deleteOld ? await oldGenerations(place, profile, manifest) : undefined
    if (!args.dryRun) context.journal({ profile }, 'release')
    await collectEverywhere({
      ...context,
      reference,
      manifest,
      old,
      dryRun: args.dryRun,
      leftovers: args.now ? 'collect' : 'keep',
    })
  },
})

interface Choice {
  readonly deployed: boolean
  readonly manifest: string | undefined
  readonly profile: string
  readonly store: 'native' | 'nix' | undefined
}

/** Whose targets are collected as well, if any. */
async function manifestOf(
  { args, readDocument }: ToolContext<Choice>,
  place: DeploymentPlace,
): Promise<Manifest | undefined> {
  if (!args.deployed)
    return args.manifest === undefined ? undefined : (await readDocument(Manifest, args.manifest)).value
  if (args.manifest !== undefined)
    throw usageError('two manifests: an operand, and --deployed', 'leave out one of them')
  const generation = await currentGeneration(place)
  if (generation !== undefined) return generation.manifest
  throw new DavitError('no-generation', `nothing is deployed as '${args.profile}'`, {
    hint: '--profile names another deployment',
  })
}

/** That of the manifest, or else the one that a deployment would choose. */
function storeOf(
  { args, environment, privileged }: ToolContext<Choice>,
  manifest: Manifest | undefined,
): StoreReference {
  const kind = args.store ?? manifest?.store.kind ?? 'native'
  if (manifest?.store.kind === kind) return manifest.store
  return defaultStore(kind, environment, { privileged, onlyLocalTargets: true })
}
