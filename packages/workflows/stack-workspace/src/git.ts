import { StringDecoder } from 'node:string_decoder'
import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import { type CommandResult, type Environment, runCommand, type RunningCommand, startCommand } from '@davit/process'
import { textTail } from './text-tail.ts'

/** How git is run. */
export interface Git {
  readonly environment: Environment
  readonly signal: AbortSignal
}

/** Variables of git that say how a user reaches repositories. All others concern one repository, as where davit runs in a hook. */
const OF_USER =
  /^GIT_(?:CONFIG_(?!PARAMETERS$)|SSH|SSL_|HTTP_|PROXY_|CURL_|TRACE|EXEC_PATH$|ALLOW_PROTOCOL$|PROTOCOL_FROM_USER$)/

/** Git asks nobody: a password or a host key that is missing is an error. */
const ASKING_NOBODY = { GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' }

/** Objects are those that names lead to, and none is fetched from elsewhere because one is missing. */
const PLAIN_OBJECTS = { GIT_NO_REPLACE_OBJECTS: '1', GIT_NO_LAZY_FETCH: '1' }

/** Environment in which git is run. */
export function gitEnvironment({ environment }: Git): Environment {
  const own = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_') || OF_USER.test(name))
  return { ...Object.fromEntries(own), ...ASKING_NOBODY, ...PLAIN_OBJECTS, LC_ALL: 'C' }
}

/** What the configuration of the user must not change: programs of hooks and of watching, modes of files, and how much memory is used. */
const SETTINGS = Object.entries({
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'tar.umask': '0022',
  'transfer.bundleURI': 'false',
  'core.bigFileThreshold': '16m',
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '512m',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** Command line of git. */
export function gitWords(words: readonly string[]): readonly [string, ...string[]] {
  return ['git', ...SETTINGS, ...words]
}

function commandOf(git: Git, words: readonly string[]) {
  return { argv: gitWords(words), env: gitEnvironment(git), signal: git.signal }
}

/** Runs git, and returns how it ended. */
export function runGit(git: Git, words: readonly string[], stdin = ''): Promise<CommandResult> {
  return runCommand({ ...commandOf(git, words), stdin })
}

/** Starts git, for output that is not text, or of any length. */
export function startGit(git: Git, words: readonly string[], stdin = ''): Promise<RunningCommand> {
  return startCommand({ ...commandOf(git, words), stdin })
}

export interface Listing {
  readonly words: readonly string[]
  readonly stdin?: string
  /** Character at the end of each record. */
  readonly end: '\n' | '\0'
  readonly maxRecords: number
  readonly maxBytes: number
  /** What is listed too much of, for an error. */
  readonly tooMany: string
}

/** Lists what a repository has, and stops git where that is more than it may have. */
export async function* gitRecords(git: Git, listing: Listing): AsyncGenerator<string, void, undefined> {
  const { words, stdin, end, maxRecords, maxBytes, tooMany } = listing
  const command = await startGit(git, words, stdin)
  const complaints = textTail(command.stderr)
  const decoder = new StringDecoder()
  let [rest, records, bytes] = ['', 0, 0]
  try {
    for await (const chunk of command.stdout as AsyncIterable<Buffer>) {
      const found = `${rest}${decoder.write(chunk)}`.split(end)
      rest = found.pop() ?? ''
      records += found.length
      bytes += chunk.length
      if (records > maxRecords || bytes > maxBytes) throw badRepository(tooMany)
      yield* found
    }
    if ((await command.exit) === 0) return
  } finally {
    command.kill('SIGKILL')
  }
  git.signal.throwIfAborted()
  const [name = ''] = words.filter((word) => !word.startsWith('-'))
  throw badRepository(`git ${name} failed: ${reasonIn(await complaints)}`)
}

/** Lists what a repository has, in lines. */
export async function gitLines(git: Git, listing: Omit<Listing, 'end'>): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of gitRecords(git, { ...listing, end: '\n' })) lines.push(line)
  return lines
}

export function badRepository(message: string, hint?: string): DavitError {
  return new DavitError('bad-repository', message, {
    exitStatus: ExitStatus.badDocument,
    ...(hint === undefined ? {} : { hint }),
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
  const [, scheme = '', authority = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)([^/]*)/.exec(url) ?? []
  const at = authority.lastIndexOf('@')
  if (at < 0) return printable(url)
  const [name] = authority.split(/[@:]/, 1)
  const rest = url.slice(scheme.length + at + 1)
  return printable(/^https?:/i.test(scheme) ? `${scheme}${rest}` : `${scheme}${name}@${rest}`)
}
