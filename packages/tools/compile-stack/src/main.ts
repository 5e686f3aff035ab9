import { resolve } from 'node:path'
import { acceptFindings, chooseTarget, compileStack, parseArguments, type StackFinding } from '@davit/stack'
import { openStack, stackFiles, stackRoots } from '@davit/stack-workspace'
import { defineTool, handOn } from '@davit/tool'
import { backEndOf, encodeCompiled } from './back-ends.ts'
import { description } from './description.ts'
import { argumentsFor } from './list-arguments.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, environment, print, report, workingDirectory } = context
    const accept = (findings: readonly StackFinding[]) => acceptFindings(findings, report)
    if (args.listArguments) return print(lines(argumentsFor(args.arguments, context, description.options)))
    const files = stackFiles(workingDirectory)
    const { path = '', root, workspace, ...opened } = openStack(resolve(workingDirectory, args.stack ?? '.'), files)
    if (args.listClusters) return print(lines([...workspace.clusters.keys()]))
    if (path === '') accept(opened.findings)
    const skipsCode = args.skipCodegen
    const choice = { ...args, hasInfrastructure: args.infrastructure !== undefined, skipsCode }
    const { cluster, cloud, scheduler, findings } = chooseTarget(workspace, choice)
    accept([...opened.findings, ...findings])
    const backEnd = backEndOf(cloud, skipsCode)
    const outcome = compileStack(path, {
      files,
      roots: stackRoots(root, environment),
      workspace,
      cluster,
      target: { cloud, scheduler },
      arguments: parseArguments(args.arguments),
      skipsCode,
    })
    accept(outcome.findings)
    if (outcome.kind === 'refused') return
    const emission = await backEnd(outcome.stack, context)
    accept(emission.findings)
    if (emission.kind !== 'emitted') return
    await handOn(context, () => ({ stack: encodeCompiled(outcome.stack) }))
    await print(emission.text)
  },
})

function lines(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('')
}
