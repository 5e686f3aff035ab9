import { lstat, writeFile } from 'node:fs/promises'
import { writeFileAtomic } from '@davit/files'
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
