import { lstat, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DavitError, ExitStatus, shellWord } from '@davit/diagnostics'
import { foreignLink, writeFileAtomic } from '@davit/files'
import { cannotWrite, type ResultOutput } from './result-output.ts'

/** Output to a file, which is written as a whole at the end. */
export function fileOutput(path: string): ResultOutput {
  const parts: Buffer[] = []
  return {
    async print(content) {
      parts.push(Buffer.from(content as string))
    },
    async finish() {
      const content = Buffer.concat(parts)
      await refuseLink(path)
      await ((await isSpecial(path)) ? writeInPlace(path, content) : writeFileAtomic(path, content))
    },
  }
}

/** Whether a path is a device, pipe or link, which is written in place, since a new file would replace it. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found !== undefined && !found.isFile()
}

async function writeInPlace(path: string, content: Buffer): Promise<void> {
  await writeFile(path, content).catch((cause: Error) => {
    throw cannotWrite(cause, `'${path}'`)
  })
}

/**
 * Refuses a link that another user has made, and one to a file of another directory, which may have come with the directory: it would
 * be the file of somebody else, or one that nobody has meant.
 */
async function refuseLink(path: string): Promise<void> {
  const foreign = foreignLink(path)
  if (foreign !== undefined) throw refusal(path, `the link '${foreign}' belongs to another user`, foreign)
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() !== true) return
  const directory = await realpath(dirname(path))
  if (SYSTEM.test(directory)) return
  const file = await realpath(path).catch(() => undefined)
  if (file === undefined) throw refusal(path, 'it is a link to nothing', path)
  const isFile = (await stat(file)).isFile()
  if (isFile && !file.startsWith(`${directory}/`)) throw refusal(path, `it is a link to '${file}'`, path)
}

/** Where links such as `/dev/stdout` are. */
const SYSTEM = /^\/(?:dev|proc)(?:\/|$)/

function refusal(path: string, why: string, link: string): DavitError {
  return new DavitError('cannot-write', `cannot write '${path}': ${why}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: `name the file itself, or remove the link: rm ${shellWord(link)}`,
  })
}
