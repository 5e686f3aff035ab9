import { text } from 'node:stream/consumers'

import { runCommand, startCommand } from '../../src/process.ts'

/** Prints where descriptor 200, which the caller of this program has open, leads to in the programs that it starts. */
const argv = ['readlink', '/proc/self/fd/200'] as const
const started = await startCommand({ argv })
console.log(`started ${(await text(started.stdout)).trim()}`)
console.log(`ran ${(await runCommand({ argv })).stdout.trim()}`)
console.log(`keeps ${(await runCommand({ argv, descriptors: 'keep' })).stdout.trim()}`)
