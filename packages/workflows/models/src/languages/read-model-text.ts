import { DavitError, ExitStatus } from '@davit/diagnostics'
import { readTextFile } from '@davit/files'

/** The text of a model; one without a word is nobody's intention. */
export async function readModelText(file: string): Promise<string> {
  const text = await readTextFile(file)
  if (text.trim() !== '') return text
  throw new DavitError('empty-document', `'${file}' is empty`, {
    exitStatus: ExitStatus.noInput,
    hint: 'a model that says nothing is written {}',
  })
}
