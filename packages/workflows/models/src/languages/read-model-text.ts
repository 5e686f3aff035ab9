import { DavitError, ExitStatus } from '@davit/diagnostics'
import { readTextFile } from '@davit/files'

/** Reads the text of a model; refuses an empty file, which is hardly intended. */
export async function readModelText(file: string): Promise<string> {
  const text = await readTextFile(file)
  if (text.trim() !== '') return text
  throw new DavitError('empty-document', `'${file}' is empty`, {
    exitStatus: ExitStatus.noInput,
    hint: 'write {} for an empty model',
  })
}
