import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { System } from './system.ts'

/** What is left on the coordinator. */
export interface CoordinatorState {
  readonly generations: readonly number[]
  /** Of the last generation. */
  readonly manifest: string
  readonly leftFiles: readonly string[]
  readonly leftProcesses: readonly string[]
}

export async function coordinatorState(system: System, stateDirectory: string): Promise<CoordinatorState> {
  const { temporary, storeDirectory } = system
  const place = join(stateDirectory, 'coordinator/default')
  const names = await namesIn(join(place, 'generations'))
  const generations = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const last = String(Math.max(0, ...generations))
  const manifest = await readFile(join(place, 'generations', last, 'manifest'), 'utf8').catch(() => '')
  const files = await readdir(place, { recursive: true }).catch(() => [])
  const left = files.filter((file) => /(^|\/)(lock\.json|\..*|.*(\.new|\.tmp|\.part).*)$/.test(file))
  const inStore = ['.davit/incoming', '.davit/locks'].map(async (directory) =>
    (await namesIn(join(storeDirectory, directory))).map((name) => `${directory}/${name}`),
  )
  const inTemporary = (await namesIn(temporary)).map((name) => `TMPDIR/${name}`)
  return {
    generations,
    manifest,
    leftFiles: [...left, ...inTemporary, ...(await Promise.all(inStore)).flat()],
    leftProcesses: await processesOf(system),
  }
}

/** Those that say in their arguments, or by where they are, that they belong to this user or build into his store. */
async function processesOf({ user, storeDirectory }: System): Promise<readonly string[]> {
  const numbers = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = numbers.map(async (pid) => {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    const isOurs = [command, directory].some((text) => text.includes(user.directory) || text.includes(storeDirectory))
    return isOurs ? [`${pid} ${command.replaceAll('\0', ' ').slice(0, 100)}`] : []
  })
  return (await Promise.all(found)).flat()
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => [])
}
