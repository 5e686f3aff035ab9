/** In tools that are made for these tests (see build.ts): names the points of a run, and at one of them runs a command. */
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'

const tool = basename(process.argv[1] ?? '', '.cjs')
const times = new Map<string, number>()
/** The environment is not asked each time: some points are passed while a tool changes it. */
const { DAVIT_FAULT_LOG: log, DAVIT_FAULT_POINT: wanted, DAVIT_FAULT_COMMAND: command = '' } = process.env

/** Called wherever a run can be interrupted; the address is that of a test host. */
export function pass(moment: string, address = ''): void {
  if (log === undefined) return
  const host = address === '' ? '-' : `fl${Number(address.split('.').at(-1)) - 10}`
  const place = `${tool}:${moment}:${host}`
  const number = (times.get(place) ?? 0) + 1
  times.set(place, number)
  const point = `${place}:${number}`
  appendFileSync(log, `${point}${point === wanted ? ' struck' : ''}\n`)
  if (point === wanted) strike(log, address)
}

/** In a process group of its own, since it may end this one. */
function strike(place: string, address: string): void {
  const args = ['-c', command, 'sh', String(process.pid), address]
  const options = { encoding: 'utf8', detached: true } as const
  const { status, stderr } = spawnSync('sh', args, options)
  if (status !== 0) appendFileSync(place, `failed ${stderr}\n`)
}

pass('begin')
