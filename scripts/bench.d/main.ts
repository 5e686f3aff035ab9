// Called by scripts/bench with its directory, the directory of the installed executables, and the user's options,
// or with --list for its help.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench } from './bench.ts'
import { benches } from './benches.ts'
import { tableHead, tableLine } from './table.ts'
import type { Workplace } from './workplace.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    directory: { type: 'string', default: '' },
    bin: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
  },
})
if (values.list) for (const { name, purpose } of benches) console.log(`  ${name.padEnd(16)}  ${purpose}`)
else process.exitCode = await measureAll()

/** Runs the chosen benchmarks. Returns the exit status, which is 0 whether or not aims are met. */
async function measureAll(): Promise<number> {
  const place = prepare()
  const chosen = benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const [load = 0] = loadavg()
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load.toFixed(1)} at the start`,
  )
  if (load > 1) console.log('this machine is busy: ratios and processor time are more reliable than seconds')
  console.log(tableHead())
  const broken: string[] = []
  for (const bench of chosen) if (!(await works(bench, place))) broken.push(bench.name)
  return broken.length === 0 ? 0 : 1
}

/** Runs a benchmark and prints its rows. Returns false if it does not work. */
async function works({ name, usesNix, run }: Bench, place: Workplace): Promise<boolean> {
  if (usesNix && !hasNix()) {
    console.log(`${name}: skipped: Nix is not installed`)
    return true
  }
  place.say(name)
  try {
    for (const row of await run(place)) console.log(tableLine(row))
    return true
  } catch (error) {
    console.log(`${name}: BROKEN`)
    place.say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

function prepare(): Workplace {
  const home = join(values.directory, 'home')
  mkdirSync(home)
  return {
    directory: values.directory,
    bin: values.bin,
    quick: values.quick,
    runs: Number(values.runs),
    environment: { PATH: process.env['PATH'], HOME: home, LC_ALL: 'C.UTF-8', TMPDIR: values.directory },
    say: (text) => process.stderr.write(`bench: ${text}\n`),
  }
}

function hasNix(): boolean {
  return spawnSync('nix-store', ['--version']).status === 0
}
