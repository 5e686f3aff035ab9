import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import { type CommandResult, type Environment, runCommand, type RunningCommand, startCommand } from '@davit/process'

/** How git is run. */
export interface Git {
  readonly environment: Environment
  readonly signal: AbortSignal
}

/** Variables that would lead git to another repository, as where it runs a hook. */
const FOREIGN = /^GIT_(?:DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|QUARANTINE_PATH)$/

/** Git asks nobody: a password or a host key that is missing is an error. */
function environmentOf({ environment }: Git): Environment {
  const own = Object.entries(environment).filter(([name]) => !FOREIGN.test(name))
  return { ...Object.fromEntries(own), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}

/** Hooks of the user's configuration have no part in this. */
const SETTINGS = ['-c', 'core.hooksPath=/dev/null']

function commandOf(git: Git, words: readonly string[]) {
  return { argv: ['git', ...SETTINGS, ...words] as const, env: environmentOf(git), signal: git.signal }
}

/** Runs git, and returns how it ended. */
export function runGit(git: Git, words: readonly string[], stdin = ''): Promise<CommandResult> {
  return runCommand({ ...commandOf(git, words), stdin })
}

/** Starts git, for output that is not text. */
export function startGit(git: Git, words: readonly string[]): Promise<RunningCommand> {
  return startCommand(commandOf(git, words))
}

/** Runs git where only a bug or a damaged repository makes it fail. */
export async function gitOutput(git: Git, words: readonly string[], stdin = ''): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit(git, words, stdin)
  if (exitCode === 0) return stdout
  const [command = ''] = words.filter((word) => !word.startsWith('-'))
  throw new DavitError('bad-repository', `git ${command} failed: ${reasonIn(stderr)}`, {
    exitStatus: ExitStatus.badDocument,
  })
}

/** What git and ssh say after the reason. */
const NO_REASON =
  /Could not read from remote repository|Please make sure you have the correct|^and the repository exists/

/** The sentence of git that gives the reason, without control characters. */
export function reasonIn(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '' && !NO_REASON.test(line))
  const told = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? 'it gave no reason'
  return printable(told.replace(/^(?:fatal|error): /, '').slice(0, 500))
}

/** An address without the password in it. Over HTTP, a name alone may be one: a token. */
export function withoutPassword(url: string): string {
  const [, scheme = '', name = '', rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)([^/@:]*)[^/]*@(.*)$/s.exec(url) ?? []
  if (scheme === '') return printable(url)
  return printable(/^https?:/i.test(scheme) ? `${scheme}${rest}` : `${scheme}${name}@${rest}`)
}
