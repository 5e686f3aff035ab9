import { randomBytes } from 'node:crypto'

import { isWanted } from '@davit/coordinator-state'
import { endDeployment, lockAll, ownerOf } from '@davit/deployment-lock'
import { Manifest } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { termsOf } from '@davit/selection'
import { coresOf } from '@davit/transition'
import { defineTool, deploymentOf, onSelected, usageError, withDeployment } from '@davit/tool'
import { concernedBy } from './concerned-by.ts'
import { description } from './lock-description.ts'
import { runLocked } from './run-locked.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument, signal, report } = context
    if (args.status) return (await import('./show-locks.ts')).showLocks(context)
    if (args.infrastructure !== undefined) throw withoutStatus()
    const { value: manifest, text } = await readDocument(Manifest, args.manifest)
    const here = processIdentity()
    const { lockLease: leaseSeconds } = args
    const { profile, place } = deploymentOf(context)
    const token = randomBytes(16).toString('hex')
    const duringCommand = args.command.length > 0
    const owner = ownerOf(here, duringCommand ? 'self' : 'parent')
    const timeoutSeconds = args.activityTimeout
    const cores = coresOf(manifest.infrastructure)
    const isUnfinished = (run: string) => isWanted(place, run)
    const common = { profile, token, owner, leaseSeconds, here, place, timeoutSeconds, coresOf: cores, isUnfinished }

    return withDeployment(
      context,
      { manifest, text, purpose: 'change', trust: 'everything' },
      async ({ targets, selection }) => {
        const wanted = { ...manifest, profiles: onSelected(manifest.profiles, selection) }
        const on = selection === undefined ? undefined : termsOf(selection)
        const terms = { ...common, on, isConcerned: concernedBy(selection), ...(args.targetProfiles ? { wanted } : {}) }
        const locked = await lockAll(targets, { ...terms, manifest: text, duringCommand, signal, report })
        if (duringCommand) return runLocked(locked, terms, context)
        await print(text).catch(async (error: unknown) => {
          // A user who sees this failure would not unlock.
          await endDeployment(locked, terms).catch(() => {})
          throw error
        })
        return 0
      },
    )
  },
})

function withoutStatus() {
  return usageError("option '--infrastructure' belongs to '--status'", 'a deployment is locked by its manifest')
}
