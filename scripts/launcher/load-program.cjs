const { readFileSync } = require('node:fs')
const { Script } = require('node:vm')

/**
 * Loads `PATH.js`, a program in the form of a function of a CommonJS module, with the code that V8 compiled for it during the
 * installation (`PATH.cache`). V8 ignores code of another version of Node.js, and compiles the program as usual.
 */
exports.loadProgram = function loadProgram(path) {
  return new Script(readFileSync(`${path}.js`, 'latin1'), {
    filename: `${path}.js`,
    cachedData: readIfThere(`${path}.cache`),
  })
}

function readIfThere(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
