import { resolve } from 'node:path'
import { nameLines } from '@davit/diagnostics'
import { acceptFindings, chooseTarget, compileStack, type StackFinding } from '@davit/stack'
import { checkArguments, compileOptions, openStack, stackFiles } from '@davit/stack-workspace'
import { defineTool, handOn } from '@davit/tool'
import { backEndOf, encodeCompiled } from './back-ends.ts'
import { description } from './description.ts'
import { argumentsFor } from './list-arguments.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, environment, print, report, workingDirectory } = context
    const accept = (findings: readonly StackFinding[]) => acceptFindings(findings, report)
    if (args.listArguments) return print(nameLines(argumentsFor(args.arguments, context, description.options)))
    checkArguments(args.arguments, report)
    const files = stackFiles(workingDirectory)
    const opened = openStack(resolve(workingDirectory, args.stack ?? '.'), files)
    if (args.listClusters) return print(nameLines([...opened.workspace.clusters.keys()]))
    const { path = '', workspace } = opened
    const skipsCode = args.skipCodegen
    const choice = { ...args, hasInfrastructure: args.infrastructure !== undefined, skipsCode }
    const chosen = chooseTarget(workspace, choice)
    accept([...opened.findings, ...chosen.findings])
    const backEnd = backEndOf(chosen.cloud, skipsCode)
    const words = args.arguments
    const outcome = compileStack(path, compileOptions(opened, { files, environment, chosen, words, skipsCode }))
    accept(outcome.findings)
    if (outcome.kind === 'refused') return
    const emission = await backEnd(outcome.stack, context)
    accept(emission.findings)
    if (emission.kind !== 'emitted') return
    await handOn(context, () => ({ stack: encodeCompiled(outcome.stack) }))
    await print(emission.text)
  },
})
