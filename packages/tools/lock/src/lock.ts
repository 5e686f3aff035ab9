import { Manifest } from '@davit/documents'
import { defineTool, usageError } from '@davit/tool'

import { holdLock, takeLock } from './lock-deployment.ts'
import { description } from './lock-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, environment, print, readDocument, runInForeground } = context
    if (args.status) return (await import('./show-locks.ts')).showLocks(context)
    if (args.infrastructure !== undefined) throw withoutStatus()
    const manifest = await readDocument(Manifest, args.manifest)
    const [program, ...rest] = args.command
    if (program === undefined) return takeLock(manifest, { ...args, print: () => print(manifest.text) }, context)
    const command = (lost: AbortSignal) => runInForeground({ argv: [program, ...rest], environment, signal: lost })
    return holdLock(manifest, { ...args, command }, context)
  },
})

function withoutStatus() {
  return usageError("option '--infrastructure' belongs to '--status'", 'a deployment is locked by its manifest')
}
