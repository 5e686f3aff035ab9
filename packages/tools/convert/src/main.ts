import { asDiagnostic, DavitError, type Finding, firstDiagnostics } from '@davit/diagnostics'
import { type ArgumentsOf, defineTool, type ToolContext, usageError } from '@davit/tool'
import { type Content, inOrder } from './content.ts'
import { description, LANGUAGES } from './description.ts'
import { KINDS } from './kinds.ts'
import { say } from './messages.ts'
import { readContent } from './read-content.ts'
import { type Language, writeContent } from './write-content.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const { lossy, storePaths } = args
    const to = languageFor(args)
    const content = await completeContent(context)
    const { text, leftOut } = await writeContent(content, to, { storePaths })
    const lost = inOrder([...content.leftOut, ...leftOut])
    if (lost.length > 0 && !lossy) throw lossyConversion(lost)
    for (const { message, ...where } of lost) {
      report({ kind: 'diagnostic', diagnostic: asDiagnostic(say('left-out', { what: message }), where) })
    }
    await print(text)
  },
})

type Context = ToolContext<ArgumentsOf<(typeof description)['options'], (typeof description)['operands']>>

function languageFor({ to, storePaths }: Context['args']): Language {
  if (to === undefined) throw usageError('no language for the result', `pass --to ${LANGUAGES.join(', --to ')}`)
  if (storePaths && to !== 'nix') throw usageError('--store-paths is only for the Nix language', 'pass --to nix')
  return to
}

async function completeContent(context: Context): Promise<Content> {
  const { document, kind, infrastructure } = context.args
  const content = await readContent(context, document, kind === undefined ? undefined : KINDS[kind])
  if ('first' in content) return (await import('./convert-first.ts')).convertFirst(content.first, context)
  if (infrastructure === undefined) return content
  throw usageError('only a manifest of version 1 needs an infrastructure model', 'leave out -i')
}

function lossyConversion(lost: readonly Finding[]): DavitError {
  return new DavitError('lossy-conversion', 'the result would not contain everything', {
    exitStatus: 1,
    diagnostics: firstDiagnostics(lost.map((one) => ({ severity: 'error', ...one }))),
    hint: '--lossy leaves it out',
  })
}
