import { openSync } from 'node:fs'
import { isProcessGone, type ProcessReference } from '../../src/process.ts'

/** Prints whether a process is gone; with `none`, after all file descriptors are taken. */
const [reference = '', files] = process.argv.slice(2)
const { pid, startTime, namespace } = JSON.parse(reference) as ProcessReference
if (files === 'none') openAll()
console.log(isProcessGone({ pid, startTime, namespace }))

function openAll(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // None is left.
  }
}
