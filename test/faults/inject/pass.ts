/** Part of the tools of these tests (see build.ts): logs the points of a run, and runs a command at one of them. */
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'

/** The tools that run, one inside the other: davit-activate runs inside davit-lock. */
const tools = [basename(process.argv[1] ?? '', '.cjs')]
const times = new Map<string, number>()
/** The environment is read only once. */
const { DAVIT_FAULT_LOG: log, DAVIT_FAULT_POINT: wanted, DAVIT_FAULT_COMMAND: command = '' } = process.env

/** Marks a point at which a run can be interrupted. The address is that of a test host, or `local` for the coordinator itself. */
export function pass(moment: string, address = ''): void {
  if (log === undefined) return
  const host = address === '' || address === 'local' ? '-' : `fl${Number(address.split('.').at(-1)) - 10}`
  const place = `${tools.at(-1)}:${moment}:${host}`
  const number = (times.get(place) ?? 0) + 1
  times.set(place, number)
  const point = `${place}:${number}`
  appendFileSync(log, `${point}${point === wanted ? ' struck' : ''}\n`)
  if (point === wanted) strike(log, address)
}

/** Counts points for a tool while it runs as a step of davit-env; each step counts anew. */
export async function duringStep<Result>(tool: string, run: () => Promise<Result>): Promise<Result> {
  for (const place of times.keys()) if (place.startsWith(`${tool}:`)) times.delete(place)
  tools.push(tool)
  try {
    pass('begin')
    return await run()
  } finally {
    tools.pop()
  }
}

/** Runs the command in its own process group, since it may end that of the tool. */
function strike(place: string, address: string): void {
  const args = ['-c', command, 'sh', String(process.pid), address]
  const options = { encoding: 'utf8', detached: true } as const
  const { status, stderr } = spawnSync('sh', args, options)
  if (status !== 0) appendFileSync(place, `failed ${stderr}\n`)
}

pass('begin')
