export interface ShellAssignment {
  readonly name: string
  /** Unknown where something in it is expanded. */
  readonly value: string | undefined
  readonly line: number
}

/** Assignments in a shell script, by commands that consist of nothing else: before another command they are only for that. */
export function shellAssignments(text: string): readonly ShellAssignment[] {
  const found: ShellAssignment[] = []
  let command: (ShellAssignment | undefined)[] = []
  const finish = () => {
    const assignments = command.filter((one) => one !== undefined)
    if (assignments.length === command.length) found.push(...assignments)
    command = []
  }
  let line = 1
  for (const { 0: token, groups = {} } of text.matchAll(TOKEN)) {
    if (groups['end'] !== undefined) finish()
    else if (groups['word'] !== undefined && !KEYWORD.test(token)) command.push(assignmentOf(token, line))
    line += token.split('\n').length - 1
  }
  finish()
  return found
}

const TOKEN =
  /[ \t]+|\\\n|(?<=^|[\s;&|])#.*|(?<end>[\n;&|()]+)|(?<word>(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|`[^`]*`|[^\s;&|()'"\\])+)|[^]/gm
const KEYWORD = /^(then|do|else|if|elif|while|until|!|\{|export|readonly)$/
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/

function assignmentOf(word: string, line: number): ShellAssignment | undefined {
  const [, name, value = ''] = ASSIGNMENT.exec(word) ?? []
  return name === undefined ? undefined : { name, value: literalOf(value), line }
}

const PART = /'(?<single>[^']*)'|"(?<double>(?:\\[^]|[^"\\])*)"|\\(?<escaped>[^])|(?<plain>[^'"\\]+)/g

/** What the shell makes of a word in which nothing is expanded. */
function literalOf(word: string): string | undefined {
  const parts = [...word.matchAll(PART)].map(({ groups = {} }) => groups)
  if (parts.some(({ plain = '', double = '' }) => /[$`*?[~]/.test(plain) || /[$`\\]/.test(double))) return undefined
  return parts.map((part) => Object.values(part).join('')).join('')
}
