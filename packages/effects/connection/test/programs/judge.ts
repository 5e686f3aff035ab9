import { openSync } from 'node:fs'
import { DavitError } from '@davit/diagnostics'
import { hostKeyPolicy } from '../../src/host-key-policy.ts'
import { parseSshConfiguration } from '../../src/ssh-configuration.ts'

/** Prints why the known_hosts file cannot be used; with `none`, after all file descriptors are taken. */
const [file = '', files] = process.argv.slice(2)
const settings = `userknownhostsfile ${file}\nhostkeyalgorithms ssh-ed25519\n`
const tokens = { environment: {}, home: '/', localUser: 'me', localUserId: 1, originalHost: 'web1' }
const configuration = parseSshConfiguration('web1', settings, tokens)
if (files === 'none') openAll()
try {
  await hostKeyPolicy(configuration)
  console.log('usable')
} catch (error) {
  if (!(error instanceof DavitError)) throw error
  console.log(`${error.exitStatus} ${error.message}`)
}

function openAll(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // None is left.
  }
}
