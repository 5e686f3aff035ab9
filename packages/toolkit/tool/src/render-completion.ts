import type { Tool } from './define-tool.ts'
import { operandEntries, optionGroups, type OptionEntry } from './option-table.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

/** Renders the completion of a tool's options for a shell, as a file for the directory where the shell looks for it. */
export function renderCompletion(tool: Tool, shell: Shell): string {
  const options = optionGroups(tool).flatMap((group) => group.options)
  return RENDERERS[shell](tool, options)
}

const RENDERERS = { bash: renderBash, zsh: renderZsh, fish: renderFish } satisfies Record<
  Shell,
  (tool: Tool, options: readonly OptionEntry[]) => string
>

function renderBash(tool: Tool, options: readonly OptionEntry[]): string {
  const identifier = tool.name.replaceAll('-', '_')
  const cases = options
    .filter(({ value }) => value !== undefined)
    .map((option) => {
      const words = [`--${option.name}`, ...(option.short === undefined ? [] : [`-${option.short}`])]
      return `    ${words.join('|')}) ${bashValues(option)} ;;`
    })
  const words = options.flatMap(longNames).join(' ')
  return `# bash completion for ${tool.name}
_${identifier}() {
  local at=$COMP_CWORD word=\${COMP_WORDS[COMP_CWORD]} previous
  # bash takes a colon as a word, and completes what follows it.
  if [[ $word == : ]]; then at=$((at - 1)) word=\${COMP_WORDS[at]}:
  elif [[ at -gt 2 && \${COMP_WORDS[at-1]} == : ]]; then at=$((at - 2)) word=\${COMP_WORDS[at]}:$word; fi
  previous=\${COMP_WORDS[at-1]}
${takesArguments(tool) ? BASH_ARGUMENTS : ''}  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=\${COMP_WORDS[at-2]}; fi
  COMPREPLY=()
  case $previous in
${cases.join('\n')}
    *)
      if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '${words}' -- "$word")
      else ${takesFiles(tool) ? 'mapfile -t COMPREPLY < <(compgen -f -- "$word")' : 'COMPREPLY=()'}; fi ;;
  esac
  COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*:}"}"}")
}
complete -o filenames -F _${identifier} ${tool.name}
`
}

/** Prints the arguments that the stack of a command line takes; the words of the line follow. */
const LIST_ARGUMENTS = 'davit-compile-stack --list-arguments --'

const BASH_ARGUMENTS = `  if [[ " \${COMP_WORDS[*]:1:COMP_CWORD-1} " == *' -- '* ]]; then
    COMPREPLY=()
    if [[ $word == = || $previous == = ]]; then return; fi
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$(${LIST_ARGUMENTS} "\${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null | grep -xE '[[:alnum:]_]+=')" -- "$word")
    return
  fi
`

/** Commands that print the values of an option, a line each. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['CLUSTER', 'davit-compile-stack --list-clusters 2>/dev/null'],
  ['SELECTION', 'davit-select --list-names selections 2>/dev/null'],
  ['SERVICE', 'davit-select --list-names services 2>/dev/null'],
  ['TARGET', 'davit-select --list-names targets 2>/dev/null'],
])

/** Placeholders of values that are files; a stack may also be a directory. */
const FILES: readonly (string | undefined)[] = ['FILE', 'STACK']

function bashValues({ choices, value = '' }: OptionEntry): string {
  if (choices.length > 0) return `mapfile -t COMPREPLY < <(compgen -W '${choices.join(' ')}' -- "$word")`
  const command = VALUES.get(value)
  // Words of -W are expanded like those of a command line.
  if (command !== undefined)
    return `mapfile -t COMPREPLY < <(compgen -W "$(${command} | grep -xE '[[:alnum:]_.:@-]+')" -- "$word")`
  if (FILES.includes(value)) return 'mapfile -t COMPREPLY < <(compgen -f -- "$word")'
  return value === 'DIRECTORY' ? 'mapfile -t COMPREPLY < <(compgen -d -- "$word")' : ':'
}

function renderZsh(tool: Tool, options: readonly OptionEntry[]): string {
  const specifications = options.flatMap((option) => {
    const describe = `[${zshText(option.describe)}]`
    const argument = option.value === undefined ? '' : `:${zshText(option.value)}:${zshValues(option)}`
    const long = longNames(option).map((name) => `${name}${option.value === undefined ? '' : '='}`)
    const short = option.short === undefined ? [] : [`-${option.short}${option.value === undefined ? '' : '+'}`]
    return [...short, ...long].map((name) => `  '${name}${describe}${argument}'`)
  })
  const operands = takesArguments(tool) ? [ZSH_ARGUMENTS] : takesFiles(tool) ? ["  '*:file:_files'"] : []
  return [`#compdef ${tool.name}`, '', `_arguments -s -S \\`, [...specifications, ...operands].join(' \\\n'), ''].join(
    '\n',
  )
}

const ZSH_ARGUMENTS = `  '*:argument:{ if (( \${words[(I)--]} && \${words[(I)--]} < CURRENT )); then compadd -S "" -- \${(f)"$(${LIST_ARGUMENTS} "\${(@)words[1,CURRENT-1]}" 2>/dev/null)"}; else _files; fi }'`

function zshValues({ choices, value = '' }: OptionEntry): string {
  if (choices.length > 0) return `(${choices.join(' ')})`
  const command = VALUES.get(value)
  if (command !== undefined) return `{compadd -- \${(f)"$(${command})"}}`
  if (FILES.includes(value)) return '_files'
  return value === 'DIRECTORY' ? '_files -/' : ''
}

function zshText(plain: string): string {
  return plain.replaceAll("'", "'\\''").replace(/[[\]:\\]/g, '\\$&')
}

function renderFish(tool: Tool, options: readonly OptionEntry[]): string {
  const operands = takesFiles(tool) ? [] : [`complete -c ${tool.name} -f`]
  const lines = options.flatMap((option) =>
    longNames(option).map((name, index) => {
      const short = option.short === undefined || index > 0 ? '' : ` -s ${option.short}`
      return `complete -c ${tool.name}${short} -l ${name.slice(2)}${fishValues(option)} -d ${fishText(option.describe)}`
    }),
  )
  const list = `(${LIST_ARGUMENTS} (commandline -opc) 2>/dev/null)`
  const last = takesArguments(tool)
    ? [`complete -c ${tool.name} -n 'contains -- -- (commandline -opc)' -x -a '${list}' -d 'argument of the stack'`]
    : []
  return `${[...operands, ...lines, ...last].join('\n')}\n`
}

function fishValues({ choices, value }: OptionEntry): string {
  if (value === undefined) return ''
  if (choices.length > 0) return ` -x -a '${choices.join(' ')}'`
  const command = VALUES.get(value)
  if (command !== undefined) return ` -x -a '(${command})'`
  if (FILES.includes(value)) return ' -r -F'
  return value === 'DIRECTORY' ? " -x -a '(__fish_complete_directories)'" : ' -x'
}

function fishText(plain: string): string {
  return `'${plain.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function longNames({ name, onByDefault }: OptionEntry): string[] {
  return onByDefault ? [`--no-${name}`, `--${name}`] : [`--${name}`]
}

/** Whether words after `--` are arguments of a stack. */
function takesArguments(tool: Tool): boolean {
  return operandEntries(tool).some(({ kind }) => kind === 'arguments')
}

function takesFiles(tool: Tool): boolean {
  return operandEntries(tool).length > 0
}
