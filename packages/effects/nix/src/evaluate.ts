import { realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DavitError, type Report } from '@davit/diagnostics'
import type { ExpressionProgram } from '@davit/documents'
import { withTemporaryDirectory } from '@davit/files'
import type { CommandResult, Environment } from '@davit/process'
import { evaluationError } from './evaluation-error.ts'
import { parseLog, reportLog } from './evaluation-log.ts'
import { inputText } from './input-text.ts'
import { runNix } from './run-nix.ts'

export interface Evaluation {
  readonly program: ExpressionProgram
  /** Whether derivations and sources go into the store; 'read-only' writes only if the program imports what has to be built. */
  readonly store: StoreMode
  readonly environment: Environment
  readonly signal?: AbortSignal
  /** Takes what the program traces, and what Nix warns of. */
  readonly report?: Report
}

type StoreMode = 'read-only' | 'read-write'

/** The JSON value of what a program gives. Throws 'invalid-model' with the place in the user's files. */
export async function evaluate({ store, ...evaluation }: Evaluation): Promise<unknown> {
  return withTemporaryDirectory(await realpath(tmpdir()), async (directory) => {
    const input = join(directory, 'input.json')
    await writeFile(input, inputText(evaluation.program.input))
    const runWith = (mode: StoreMode) => run(argumentsOf(evaluation.program, { input, store: mode }), evaluation)
    const result = await runWith(store)
    return valueOf(store === 'read-only' && needsStore(result) ? await runWith('read-write') : result, evaluation)
  })
}

function argumentsOf(
  { file, expressions }: ExpressionProgram,
  { input, store }: { readonly input: string; readonly store: StoreMode },
): readonly string[] {
  const mode = store === 'read-write' ? ['--read-write-mode'] : []
  const values = [...expressions].flatMap(([name, text]) => ['--arg', name, text])
  return [...EVALUATION, ...mode, file, '--argstr', 'input', input, ...values]
}

const EVALUATION = ['--eval', '--strict', '--json', '--show-trace', '--log-format', 'internal-json']

async function run(
  options: readonly string[],
  { environment, signal }: Omit<Evaluation, 'store'>,
): Promise<CommandResult> {
  const cancel = signal === undefined ? {} : { signal }
  return runNix({ argv: ['nix-instantiate', ...options], environment, ...cancel })
}

/** What an import of a derivation's output says of a store that it may not write to. */
function needsStore({ exitCode, stderr }: CommandResult): boolean {
  return exitCode !== 0 && /^path '.*\.drv' is not valid$/.test(parseLog(stderr).error?.message ?? '')
}

/** Standard output is there in part also when the program failed: only the exit status counts. */
function valueOf({ exitCode, stdout, stderr }: CommandResult, { program, report }: Omit<Evaluation, 'store'>): unknown {
  const log = parseLog(stderr)
  reportLog(log, report)
  if (exitCode !== 0) throw evaluationError(log, { program, exitCode })
  return parsed(stdout)
}

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw new DavitError('bad-nix-answer', `Nix did not answer with JSON: ${shortReason(cause)}`, {
      hint: "try 'nix-instantiate --eval --json -E 1'",
      cause,
    })
  }
}

function shortReason(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)
}
