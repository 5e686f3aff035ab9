import { resolve } from 'node:path'
import {
  acceptFindings,
  chooseTarget,
  type CompiledStack,
  compileStack,
  type CompileOutcome,
  type StackFiles,
  type StackFinding,
  stackRefusal,
} from '@davit/stack'
import {
  checkArguments,
  compileOptions,
  FETCH_LIMITS,
  type FetchLimits,
  type FetchOutcome,
  fetchStacks,
  openStack,
  pinsOf,
  stackFiles,
  withRepositories,
} from '@davit/stack-workspace'
import { bytesIn, defineTool, type Environment, secondsIn, type ToolContext, usageError } from '@davit/tool'
import { description } from './description.ts'
import { unfetched } from './unfetched.ts'
import { withWayOut } from './way-out.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report, workingDirectory } = context
    const accept = (findings: readonly StackFinding[]) => acceptFindings(findings, report)
    checkArguments(args.arguments, report)
    const { outcome, failures } = await fetchAll(context, accept)
    if (failures.length > 0) throw unfetched(failures)
    accept(args.update ? outcome.findings : withWayOut(outcome.findings, workingDirectory))
    if (args.pins) await print(pinsOf(stackIn(outcome)))
  },
})

interface Arguments {
  readonly stack: string | undefined
  readonly arguments: readonly string[]
  readonly cluster: string | undefined
  readonly global: boolean
  readonly update: boolean
  readonly dryRun: boolean
}

type Context = ToolContext<Arguments>

/** Fetches what is missing of the stack that the operand names. */
async function fetchAll(context: Context, accept: (findings: readonly StackFinding[]) => void): Promise<FetchOutcome> {
  const { args, environment, report, workingDirectory } = context
  const files = stackFiles(workingDirectory)
  const opened = openStack(resolve(workingDirectory, args.stack ?? '.'), files)
  const { path = '', root, workspace } = opened
  const skipsCode = true
  const choice = { cluster: args.cluster, target: undefined, hasInfrastructure: false, skipsCode }
  const chosen = chooseTarget(workspace, choice)
  accept([...opened.findings, ...chosen.findings])
  const words = args.arguments
  const options = compileOptions(opened, { files, environment, chosen, words, skipsCode })
  return withRepositories(environment, (temporary) =>
    fetchStacks({
      files,
      workspace,
      root: args.global ? homeIn(options.roots.home) : root,
      temporary,
      git: {
        environment,
        get signal() {
          return context.signal
        },
      },
      limits: limitsIn(environment),
      report,
      isUpdate: args.update,
      isDryRun: args.dryRun,
      compile: (seen: StackFiles) => compileStack(path, { ...options, files: seen }),
    }),
  )
}

function limitsIn(environment: Environment): FetchLimits {
  const { bytes, seconds } = FETCH_LIMITS
  return {
    ...FETCH_LIMITS,
    bytes: bytesIn(environment, 'DAVIT_FETCH_LIMIT') ?? bytes,
    seconds: secondsIn(environment, 'DAVIT_FETCH_TIMEOUT') ?? seconds,
  }
}

function homeIn(home: string | undefined): string {
  if (home === undefined) throw usageError('--global needs a home directory', 'set HOME to an absolute path')
  return home
}

function stackIn(outcome: CompileOutcome): CompiledStack {
  if (outcome.kind === 'compiled') return outcome.stack
  throw stackRefusal(outcome.findings)
}
