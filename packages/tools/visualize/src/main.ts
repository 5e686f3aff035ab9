import { InventoryDocument, Manifest, PlanDocument } from '@davit/documents'
import { type Graph, graphOf, type GraphOptions, renderDot, statusIn } from '@davit/picture'
import { type ArgumentsOf, defineTool, type ToolContext, usageError } from '@davit/tool'

import { description } from './description.ts'
import type { Titled } from './change-between.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    refuseCombined(args)
    await print(await drawn(await graphFor(context), args))
  },
})

type Arguments = ArgumentsOf<typeof description.options, typeof description.operands>

async function drawn(graph: Graph, { format, containers }: Arguments): Promise<string> {
  if (format === 'dot') return renderDot(graph, { containers })
  return (await import('./draw.ts')).draw(graph, format, { containers })
}

/** A plan has its manifests. */
function refuseCombined({ manifest, from, plan, status }: Arguments): void {
  if ([manifest, from, plan, status].filter((one) => one === '-').length > 1)
    throw usageError("only one document can be '-'", 'name files for the others')
  if (plan === undefined) return
  const other = from === undefined ? (manifest === undefined ? undefined : 'a manifest') : "'--from'"
  if (other !== undefined) throw usageError(`'--plan' and ${other} cannot be combined`, 'omit one of them')
}

async function graphFor(context: ToolContext<Arguments>): Promise<Graph> {
  const { plan, status } = context.args
  const { manifest, ...drawn } = await (plan === undefined ? manifestFor(context) : planIn(plan, context))
  if (status === undefined) return graphOf(manifest, drawn)
  const { value } = await context.readDocument(InventoryDocument, status)
  return graphOf(manifest, { ...drawn, status: statusIn(value, manifest) })
}

type Drawn = Titled & Pick<GraphOptions, 'changes'>

async function manifestFor(context: ToolContext<Arguments>): Promise<Drawn> {
  const { args, readDocument } = context
  const to =
    args.manifest === undefined
      ? await (await import('./deployed.ts')).deployed(context)
      : await manifestIn(args.manifest, context)
  if (args.from === undefined) return to
  return (await import('./change-between.ts')).changeBetween(await manifestIn(args.from, { readDocument }), to)
}

async function planIn(operand: string, { readDocument }: ToolContext<Arguments>): Promise<Drawn> {
  const { value } = await readDocument(PlanDocument, operand)
  const { changesOfPlan } = await import('./change-between.ts')
  return { manifest: value.manifest, title: `plan for ${value.profile}`, changes: changesOfPlan(value) }
}

async function manifestIn(
  operand: string,
  { readDocument }: Pick<ToolContext<unknown>, 'readDocument'>,
): Promise<Titled> {
  const { value, file } = await readDocument(Manifest, operand)
  return { manifest: value, title: operand === '-' ? 'standard input' : file.slice(file.lastIndexOf('/') + 1) }
}
