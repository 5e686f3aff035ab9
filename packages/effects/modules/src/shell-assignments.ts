export interface ShellAssignment {
  readonly name: string
  /** Undefined if the shell would expand something in it. */
  readonly value: string | undefined
  readonly line: number
}

/** Finds assignments in commands of a shell script that consist of nothing else; before another command they apply only to it. */
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

/** Quotes that nothing closes go on to the end. */
const TOKEN =
  /[ \t]+|\\\n|(?<=^|[\s;&|])#.*|(?<end>[\n;&|()]+)|(?<word>(?:'[^']*'?|"(?:\\[^]|[^"\\])*"?|\\[^]|\$\((?:[^()]|\([^()]*\))*\)?|\$\{[^}]*\}?|`[^`]*`?|[^\s;&|()'"\\])+)|[^]/gm
const KEYWORD = /^(then|do|else|if|elif|while|until|!|\{|export|readonly)$/
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/

function assignmentOf(word: string, line: number): ShellAssignment | undefined {
  const [, name, value = ''] = ASSIGNMENT.exec(word) ?? []
  return name === undefined ? undefined : { name, value: literalOf(value), line }
}

const PART = /'(?<single>[^']*)'?|"(?<double>(?:\\[^]|[^"\\])*)"?|\\(?<escaped>[^])|(?<plain>[^'"\\]+)/g

/** Value that the shell gives a word; undefined if it would expand something in it. */
function literalOf(word: string): string | undefined {
  const parts = [...word.matchAll(PART)].map(({ groups = {} }) => groups)
  if (parts.some(({ plain = '', double = '' }) => /[$`*?[~]/.test(plain) || /[$`\\]/.test(double))) return undefined
  return parts.map((part) => Object.values(part).join('')).join('')
}
