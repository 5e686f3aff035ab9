// Called by scripts/bench with its own directory, the directory of the installed executables, and what its user said.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benches } from './benches.ts'
import { tableHead, tableLine } from './table.ts'
import type { Workplace } from './workplace.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    directory: { type: 'string', default: '' },
    bin: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
  },
})
const home = join(values.directory, 'home')
mkdirSync(home)
const place: Workplace = {
  directory: values.directory,
  bin: values.bin,
  quick: values.quick,
  runs: Number(values.runs),
  environment: { PATH: process.env['PATH'], HOME: home, LC_ALL: 'C.UTF-8', TMPDIR: values.directory },
  say: (text) => process.stderr.write(`bench: ${text}\n`),
}
const chosen = benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const [load = 0] = loadavg()
console.log(`${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load.toFixed(1)} at the start`)
if (load > 1) console.log('others are at work on this machine: ratios and processor time tell more than seconds')
console.log(tableHead())
let broken = 0
for (const { name, usesNix, run } of chosen) {
  if (usesNix && !hasNix()) {
    console.log(`${name}: skipped, since Nix is not installed`)
    continue
  }
  place.say(name)
  try {
    for (const row of await run(place)) console.log(tableLine(row))
  } catch (error) {
    broken += 1
    console.log(`${name}: BROKEN`)
    place.say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
process.exitCode = broken === 0 ? 0 : 1

function hasNix(): boolean {
  return spawnSync('nix-store', ['--version']).status === 0
}
