import { Manifest } from '@davit/documents'
import { type Graph, graphOf, renderDot } from '@davit/picture'
import { type ArgumentsOf, defineTool, type ToolContext, usageError } from '@davit/tool'

import { description } from './description.ts'
import type { Titled } from './graph-of-change.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    if (args.manifest === '-' && args.from === '-') {
      throw usageError("only one manifest can be '-'", 'name a file for the other')
    }
    await print(await drawn(await graphFor(context), args))
  },
})

type Arguments = ArgumentsOf<typeof description.options, typeof description.operands>

async function drawn(graph: Graph, { format, containers }: Arguments): Promise<string> {
  if (format === 'dot') return renderDot(graph, { containers })
  return (await import('./draw.ts')).draw(graph, format, { containers })
}

async function graphFor(context: ToolContext<Arguments>): Promise<Graph> {
  const { args, readDocument } = context
  const to =
    args.manifest === undefined
      ? await (await import('./deployed.ts')).deployed(context)
      : await manifestIn(args.manifest, context)
  if (args.from === undefined) return graphOf(to.manifest, { title: to.title })
  const from = await manifestIn(args.from, { readDocument })
  return (await import('./graph-of-change.ts')).graphOfChange(from, to)
}

async function manifestIn(
  operand: string,
  { readDocument }: Pick<ToolContext<unknown>, 'readDocument'>,
): Promise<Titled> {
  const { value, file } = await readDocument(Manifest, operand)
  return { manifest: value, title: operand === '-' ? 'standard input' : file.slice(file.lastIndexOf('/') + 1) }
}
