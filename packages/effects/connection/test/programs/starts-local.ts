import { text } from 'node:stream/consumers'

import { openLocal } from '../../src/connection.ts'

/** Runs the script in its argument as one on this machine, and prints what that prints. */
const [script = ''] = process.argv.slice(2)
const { stdout } = await openLocal({ environment: { PATH: process.env['PATH'] ?? '' } }).run(script)
process.stdout.write(await text(stdout))
