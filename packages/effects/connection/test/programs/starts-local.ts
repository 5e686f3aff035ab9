import { text } from 'node:stream/consumers'

import { openLocal } from '../../src/connection.ts'

/** Runs the script in its argument as one on this machine, and prints what that prints. */
const [script = ''] = process.argv.slice(2)
const { PATH = '', HOME = '', BASH_ENV } = process.env
const environment = { PATH, HOME, ...(BASH_ENV === undefined ? {} : { BASH_ENV }) }
const { stdout, stderr } = await openLocal({ environment }).run(script)
const said = await Promise.all([text(stdout), text(stderr)])
process.stdout.write(said.join(''))
