const { readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

/** Runs a program, `PATH.js`, with the parts beside it that it requires. Returns the scripts of all parts, by path. */
exports.runProgram = function runProgram(path) {
  const directory = dirname(path)
  const modules = new Map()
  const scripts = new Map()
  const requirePart = (specifier) =>
    specifier.startsWith('./part-') ? load(join(directory, specifier)) : require(specifier)
  const load = (file) => {
    const known = modules.get(file)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(file, module)
    const script = loadPart(file.slice(0, -'.js'.length))
    scripts.set(file, script)
    script.runInThisContext()(module.exports, requirePart, module, file, directory)
    return module.exports
  }
  load(`${path}.js`)
  return scripts
}

/**
 * Loads `PATH.js`, a part of a program in the form of a function of a CommonJS module, with the code that V8 compiled for it during
 * the installation (`PATH.cache`). V8 ignores code of another version of Node.js, and compiles the part as usual.
 */
function loadPart(path) {
  return new Script(readFileSync(`${path}.js`, 'latin1'), {
    filename: `${path}.js`,
    cachedData: readIfThere(`${path}.cache`),
  })
}
exports.loadPart = loadPart

function readIfThere(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
