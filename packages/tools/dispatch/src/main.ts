import { suggestionFor } from '@davit/diagnostics'
import { processIdentity } from '@davit/process'
import { defineTool, type HelpSection, renderHelp, type ToolContext, usageError } from '@davit/tool'
import { description } from './description.ts'
import { findTool, findTools, type SearchPlace } from './find-tools.ts'
import { readSummary } from './read-summary.ts'

export const tool = defineTool({
  ...description,
  findHelp: listTools,
  async run(context): Promise<number | void> {
    const [name, ...rest] = context.args.tool
    if (name === undefined) throw usageError('no tool given', "'davit --help' lists the tools")
    if (name !== 'help') return runTool([await pathOf(name, context), ...rest], context)
    const [subject] = rest
    if (subject === undefined) return context.print(renderHelp(tool, await listTools(context)))
    return context.runInForeground({ argv: [await pathOf(subject, context), '--help'] })
  },
})

/** Runs a tool. What it leaves behind, such as a lock, belongs to our caller, and not to this process. */
function runTool(argv: readonly [string, ...string[]], { environment, runInForeground }: ToolContext<unknown>) {
  const { pid } = processIdentity().parent
  return runInForeground({ argv, environment: { ...environment, DAVIT_CALLER: String(pid) } })
}

async function pathOf(name: string, place: SearchPlace): Promise<string> {
  const path = await findTool(name, place)
  if (path !== undefined) return path
  const known = (await findTools(place)).keys()
  const hint = suggestionFor(name, known) ?? "'davit --help' lists the tools"
  throw usageError(`unknown tool '${name}': there is no davit-${name} next to davit or on PATH`, hint)
}

async function listTools(place: SearchPlace): Promise<HelpSection> {
  const tools = [...(await findTools(place))].toSorted(([left], [right]) => (left < right ? -1 : 1))
  return {
    title: 'Tools',
    rows: await Promise.all(tools.map(async ([name, path]) => [name, await readSummary(name, path)] as const)),
  }
}
