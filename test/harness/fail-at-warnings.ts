/**
 * Set-up of every test file: turns a warning of Node in this process into an uncaught error, which fails the run. Node warns a
 * moment after the cause, so that no single test can be made to fail.
 */
const INSTALLED = Symbol.for('davit: warnings are errors')

// Several test files share a process, which needs only one listener.
if (!(INSTALLED in globalThis)) {
  Object.defineProperty(globalThis, INSTALLED, { value: true })
  process.on('warning', (warning) => {
    throw new Error(`Node warns: ${warning.stack ?? warning.message}`, { cause: warning })
  })
}
