import { join } from 'node:path'
import { linkAt, namesBelow, namesIn, textOf } from './look.ts'
import type { System } from '../drive/system.ts'

/** State of the coordinator, observed without davit. */
export interface CoordinatorState {
  readonly generations: readonly number[]
  /** Text of the last generation's manifest. */
  readonly manifest: string
  readonly leftFiles: readonly string[]
  readonly leftProcesses: readonly string[]
}

export function coordinatorState(system: System, stateDirectory: string): CoordinatorState {
  const { temporary, storeDirectory } = system
  const place = join(stateDirectory, 'coordinator/default')
  const names = namesIn(join(place, 'generations'))
  const generations = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const last = String(Math.max(0, ...generations))
  const left = namesBelow(place).filter((file) => LEFT.test(file))
  const inStore = ['.davit/incoming', '.davit/locks'].flatMap((directory) =>
    namesIn(join(storeDirectory, directory)).map((name) => `${directory}/${name}`),
  )
  const inTemporary = namesIn(temporary).map((name) => `TMPDIR/${name}`)
  return {
    generations,
    manifest: textOf(join(place, 'generations', last, 'manifest')),
    leftFiles: [...left, ...inTemporary, ...inStore],
    leftProcesses: processesOf(system),
  }
}

/** Files that a run which has ended well has removed; one of them is the record of what it wanted. */
const LEFT = /(^|\/)(lock\.json|wanted.*|\..*|.*(\.new|\.tmp|\.part).*)$/

/** Returns the processes that belong to this user or build into his store, by their arguments or working directories. */
function processesOf({ user, storeDirectory }: System): readonly string[] {
  const numbers = namesIn('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return numbers.flatMap((pid) => {
    const command = textOf(`/proc/${pid}/cmdline`)
    const isOurs = [command, linkAt(`/proc/${pid}/cwd`)].some(
      (text) => text.includes(user.directory) || text.includes(storeDirectory),
    )
    return isOurs ? [`${pid} ${command.replaceAll('\0', ' ').slice(0, 100)}`] : []
  })
}
