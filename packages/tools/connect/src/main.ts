import { Manifest } from '@davit/documents'
import { defineTool, usageError } from '@davit/tool'
import { connectAll } from './connect-all.ts'
import { description } from './description.ts'
import { withHeldConnections } from './with-held-connections.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, readDocument } = context
    const [program, ...rest] = args.command
    if (program === undefined) throw usageError('no command given', "write it after '--': davit-connect -- bash")
    if (args.manifest === '-') {
      throw usageError('the manifest cannot come from standard input', 'it belongs to the command; name a file')
    }
    const manifest = args.manifest === undefined ? undefined : await readDocument(Manifest, args.manifest)
    return withHeldConnections(context, async (around) => {
      const connecting = connectAll(manifest?.value.infrastructure, { ...context, environment: around })
      const status = await context.runInForeground({ argv: [program, ...rest], environment: around })
      await connecting.stop()
      return status
    })
  },
})
