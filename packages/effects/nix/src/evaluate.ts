import { writeFile } from 'node:fs/promises'
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
  /** Whether derivations and sources are written to the store; 'read-only' does so only if the program imports what has to be built. */
  readonly store: StoreMode
  readonly environment: Environment
  readonly signal?: AbortSignal
  /** Receives traces of the program and warnings of Nix. */
  readonly report?: Report
}

type StoreMode = 'read-only' | 'read-write'

/** Evaluates a program to its JSON value. Throws 'invalid-model' with the place in the user's files. */
export async function evaluate({ store, ...evaluation }: Evaluation): Promise<unknown> {
  return withTemporaryDirectory(evaluation.environment, async (directory) => {
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

/** Whether a program failed because it imports the output of a derivation, and may not write to the store. */
function needsStore({ exitCode, stderr }: CommandResult): boolean {
  return exitCode !== 0 && /^path '.*\.drv' is not valid$/.test(parseLog(stderr).error?.message ?? '')
}

/** Value of a program. Only the exit status counts, since a failed program may have printed a part. */
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
      hint: "check that 'nix-instantiate --eval --json -E 1' prints 1",
      cause,
    })
  }
}

function shortReason(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)
}
