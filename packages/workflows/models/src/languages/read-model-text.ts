import { DavitError, ExitStatus } from '@davit/diagnostics'
import { readTextFile } from '@davit/files'

/** Reads the text of a model; refuses an empty file, which is hardly intended. */
export async function readModelText(file: string): Promise<string> {
  const text = await readTextFile(file)
  if (text.trim() !== '') return text
  throw new DavitError('empty-document', `'${file}' is empty`, {
    exitStatus: ExitStatus.noInput,
    hint: `write ${emptyModelIn(file)} for an empty model`,
  })
}

function emptyModelIn(file: string): string {
  // The only model that can be XML is one of the infrastructure.
  if (file.endsWith('.xml')) return '<infrastructure version="2"/>'
  return /\.[cm]?[jt]s$/.test(file) ? 'export default {}' : '{}'
}
