import { CompiledStack, Manifest, parseDocument, statedDocument } from '@davit/documents'
import { type ToolContext, usageError } from '@davit/tool'

/** What is deployed, as far as the user names it. */
export interface Previous {
  readonly deployed: Manifest | undefined
  readonly stack: CompiledStack | undefined
}

/** Reads the files of `--previous`: a manifest, and an earlier compiled stack. */
export async function readPrevious(
  files: readonly string[],
  { readInput }: Pick<ToolContext<unknown>, 'readInput'>,
): Promise<Previous> {
  let deployed: Manifest | undefined
  let stack: CompiledStack | undefined
  for (const operand of files) {
    const { text, file } = await readInput(operand)
    if (statedDocument(text) === CompiledStack.name) {
      if (stack !== undefined) throw twice('compiled stack', file)
      stack = parseDocument(CompiledStack, text, { file })
    } else {
      if (deployed !== undefined) throw twice('manifest', file)
      deployed = parseDocument(Manifest, text, { file })
    }
  }
  return { deployed, stack }
}

function twice(what: string, file: string) {
  return usageError(`'${file}' is a second ${what}`, '--previous takes one manifest and one compiled stack')
}
