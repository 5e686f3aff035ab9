import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { copySnapshots, findKept, keptStore, type StateMachines } from '@davit/state-runner'
import { allTargets, type Component, listSnapshots, type ShellTarget, type SnapshotStore } from '@davit/target'
import {
  type ArgumentsOf,
  defineTool,
  deploymentOf,
  directionOf,
  infrastructureOf,
  onlyTarget,
  type ToolContext,
  withTargets,
} from '@davit/tool'

import { description } from './copy-snapshots-description.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    const { profile } = deploymentOf(context)
    directionOf(args, 'snapshots')
    const infrastructure = onlyTarget(await infrastructureOf(context, loadInfrastructure), args.target)
    await withTargets(
      infrastructure,
      { ...context, role: 'state', manifests: [], trust: 'everything' },
      async (reached, openHere) => {
        const here = await openHere()
        const machines: Pick<StateMachines, 'here'> = { here: async () => here }
        for (const target of allTargets(reached)) await copy(context, target, { profile, machines })
      },
    )
  },
})

type Arguments = ArgumentsOf<typeof description.options, Record<never, never>>

interface Here {
  readonly profile: ProfileName
  readonly machines: Pick<StateMachines, 'here'>
}

async function copy(context: ToolContext<Arguments>, target: ShellTarget<'state'>, here: Here): Promise<void> {
  const { args, report, signal } = context
  const component: Component = { container: args.container, component: args.component }
  const there: SnapshotStore = { machine: target.machine, place: `targets/${target.name}` }
  const kept = args.to
    ? await storeToSend(here, target.name, component)
    : await keptStore(here.machines, here.profile, target.name)
  const [from, to] = args.to ? [kept, there] : [there, kept]
  const copied = await copySnapshots({ from, to, component, which: args.all ? 'all' : 'latest', signal })
  const side = args.to ? `'${target.name}'` : 'this machine'
  if (copied === undefined) throw nothingToSend(component, args.to ? 'this machine' : `'${target.name}'`)
  const { snapshots, bytes } = copied
  if (snapshots.length === 0) report(say('snapshots-are-there', { ...component, side }))
  else report(say('snapshots-copied', { ...component, side, snapshots: snapshots.length, bytes }))
}

/** The store on this machine of the target itself, or else of the target from which the component came last. */
async function storeToSend(
  { profile, machines }: Here,
  target: TargetName,
  component: Component,
): Promise<SnapshotStore> {
  const own = await keptStore(machines, profile, target)
  if ((await listSnapshots(own, component)).length > 0) return own
  return (await findKept(machines, profile, component))?.store ?? own
}

function nothingToSend({ container, component }: Component, side: string): DavitError {
  return new DavitError('no-snapshot', `${side} has no snapshot of ${container}/${component}`, {
    exitStatus: ExitStatus.noInput,
    hint: 'davit-snapshots lists what there is',
  })
}
