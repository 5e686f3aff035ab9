import type { Manifest, TargetName } from '@davit/documents'
import { isSelected, requireContainers, snapshotTasks } from '@davit/state-runner'
import { type ArgumentsOf, defineTool, usageError } from '@davit/tool'
import type { StatefulService } from '@davit/transition'

import {
  carryOutTasks,
  moveTermsOf,
  printTasks,
  readMoveOrder,
  runErrand,
  sceneOf,
  servicesBefore,
  withoutLock,
} from './move-order.ts'
import { onReached, selectionOf } from './selection.ts'
import { description } from './snapshot-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, report } = context
    const order = await readMoveOrder(context)
    const { manifest, old } = order
    const services = servicesBefore(order).filter((one) => isSelected(one, selectionOf(args)))
    const verifying = verifyTermsOf(args, services, manifest)
    const besides = verifying?.on === undefined ? [] : [verifying.on]
    const errand = { order, isEmpty: services.length === 0, purpose: 'preparation', besides } as const
    await runErrand(withoutLock(context), errand, async (reached) => {
      const scene = sceneOf(context, reached, { manifest: old, others: [manifest] })
      const taking = args.transferOnly ? 'transfer-only' : 'take'
      const there = onReached(services, manifest, { ...reached, report })
      const tasks = snapshotTasks(there, scene, { ...moveTermsOf(args), taking, verifying })
      if (args.dryRun) return printTasks(tasks, context)
      return carryOutTasks(tasks, context, { manifest, ...(args.verify ? NOT_VERIFIED : NOT_SAVED) })
    })
  },
})

type SnapshotArguments = ArgumentsOf<typeof description.options, typeof description.operands>

/** Where to verify; refuses a target that cannot load what is selected before anything is begun. */
function verifyTermsOf(
  { verify, verifyOn }: SnapshotArguments,
  services: readonly StatefulService[],
  manifest: Manifest,
): { readonly on: TargetName | undefined } | undefined {
  if (!verify) {
    if (verifyOn === undefined) return undefined
    throw usageError('--verify-on needs --verify', 'add --verify, or omit --verify-on')
  }
  const on = verifyOn as TargetName | undefined
  if (on === undefined) return { on }
  if (!manifest.infrastructure.has(on))
    throw usageError(
      `there is no target '${on}'`,
      `the targets are ${[...manifest.infrastructure.keys()].slice(0, MAX_NAMES).join(', ')}`,
    )
  requireContainers(services, manifest, on)
  return { on }
}

const MAX_NAMES = 10

const NOT_VERIFIED = {
  message: 'not all state was saved and verified',
  hint: 'what is not listed above was; the same command tries again',
}

const NOT_SAVED = {
  message: 'not all state was saved',
  hint: 'what is not listed above was saved; the same command tries again',
}
