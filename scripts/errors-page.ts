import { join } from 'node:path'

import { ERROR_CODES, type MessageCode } from './codes.ts'
import { CODES as STACK_CODES } from '../packages/planners/stack/src/codes.ts'
import { ROOT } from './executables.ts'

/** Path of the page that explains all codes. */
export const ERRORS_PAGE = join(ROOT, 'docs/errors.md')

/** Renders that page: each code with its meaning, what to do, and for messages the fields. */
export function errorsPage(messages: readonly MessageCode[]): string {
  const errors = Object.entries(ERROR_CODES).map(([code, about]) => `| \`${code}\` | ${about} |`)
  const rowsOf = (isWanted: (kind: MessageCode['kind']) => boolean) =>
    messages
      .filter(({ kind }) => isWanted(kind))
      .map(({ code, fields, about }) => {
        const names = Object.keys(fields).map((name) => ` \`${name}\``)
        return `| \`${code}\` |${names.join(',')} | ${about} |`
      })
  return [
    INTRODUCTION,
    '## Errors\n',
    '| code | meaning, and what to do |\n|---|---|',
    ...errors,
    '\n## Warnings\n',
    MESSAGE_HEAD,
    ...rowsOf((kind) => kind === 'warning'),
    '\n## Notes\n',
    'Some notes have the kind `detail`, and are shown only with `-v`.\n',
    MESSAGE_HEAD,
    ...rowsOf((kind) => kind !== 'warning'),
    '\n## Findings in stack files\n',
    FINDINGS,
    ...Object.entries<{ severity: string; about: string }>(STACK_CODES).map(
      ([code, { severity, about }]) => `| \`${code}\` | ${severity} | ${about.replaceAll('|', '\\|')} |`,
    ),
    '',
  ].join('\n')
}

const FINDINGS = `Each has a place in a stack or workspace file, and \`subjects\`: the values that its sentence quotes, in a fixed order.
They belong to the error \`invalid-stack\`, or are warnings of tools that compile stacks.

| code | kind | meaning, and what to do |
|---|---|---|`

const MESSAGE_HEAD = '| code | fields | meaning, and what to do |\n|---|---|---|'

const INTRODUCTION = `# Codes of errors, warnings and notes

An error ends a tool; its line ends with its code: \`davit-activate: … [locked]\`. Warnings and notes do not end the tool.
With \`--log-format json\`, each of them has its code in a field (see [log](formats/log.md)). Codes are stable, while the
wording of messages may change at any time. If a message comes with a hint, the hint is more specific than the row here.

This page is generated from the tables in the source (\`npx tsx scripts/code-pages.ts\`): the errors from
\`packages/documents/diagnostics/src/error-codes.ts\`, findings in stack files from \`packages/planners/stack/src/codes.ts\`, the others from
\`src/messages.ts\` of each package.
`
