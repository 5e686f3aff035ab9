import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { helperText } from '../../packages/shipped/target-runtime/src/target-runtime.ts'

const MARKER = 'davit-bench'

/** Returns how many seconds the helper of a target takes on average for a request that starts `sh -c :`. */
export async function secondsOfEmptyRequest(count: number): Promise<number> {
  const helper = spawn('/bin/sh', ['-c', scriptWithBench()], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: helper.stdout })[Symbol.asyncIterator]()
  const until = async (wanted: string) => {
    for (let line = await lines.next(); line.value !== wanted; line = await lines.next())
      if (line.done === true) throw new Error('the helper has ended')
  }
  await until(MARKER)
  const began = performance.now()
  for (let id = 1; id <= count; id += 1) {
    helper.stdin.write(`${id} bench\n`)
    await until(`${id} =`)
  }
  const seconds = (performance.now() - began) / 1000 / count
  helper.stdin.end()
  await once(helper, 'close')
  return seconds
}

/** The helper's own script, with one more operation. */
function scriptWithBench(): string {
  const { script } = helperText({ role: 'deploy', marker: MARKER })
  const extended = script.replace(/^serve (.*)$/m, 'operation_bench() { sh -c :; }\nserve $1 bench')
  if (extended === script) throw new Error('the script of the helper does not end with a call of serve')
  return extended
}
