import { resolve } from 'node:path'
import { CompiledStack, encodeDocument } from '@davit/documents'
import {
  acceptFindings,
  chooseTarget,
  compiledDocument,
  compileStack,
  finding,
  parseArguments,
  type StackFinding,
} from '@davit/stack'
import { openStack, stackFiles, stackRoots } from '@davit/stack-workspace'
import { defineTool } from '@davit/tool'
import { description } from './description.ts'

export const tool = defineTool({
  ...description,
  async run({ args, environment, print, report, workingDirectory }) {
    const accept = (findings: readonly StackFinding[]) => acceptFindings(findings, report)
    const files = stackFiles(workingDirectory)
    const { path = '', root, workspace, ...opened } = openStack(resolve(workingDirectory, args.stack ?? '.'), files)
    if (path === '') accept(opened.findings)
    const skipsCode = args.skipCodegen
    const choice = { ...args, hasInfrastructure: args.infrastructure !== undefined, skipsCode }
    const { cluster, cloud, scheduler, findings } = chooseTarget(workspace, choice)
    accept([...opened.findings, ...findings])
    if (!skipsCode) accept([finding('MU603', [cloud])])
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
    await print(encodeDocument(CompiledStack, compiledDocument(outcome.stack), 'json'))
  },
})
