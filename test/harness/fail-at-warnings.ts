/**
 * Set-up of every test file: whatever Node warns of in this process is an error that nobody catches, which fails the run.
 * A warning is said a moment after its cause, so that no test can take the blame by itself.
 */
const INSTALLED = Symbol.for('davit: warnings are errors')

// Several test files share a process, and Node lists who listens.
if (!(INSTALLED in globalThis)) {
  Object.defineProperty(globalThis, INSTALLED, { value: true })
  process.on('warning', (warning) => {
    throw new Error(`Node warns: ${warning.stack ?? warning.message}`, { cause: warning })
  })
}
