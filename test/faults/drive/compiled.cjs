/**
 * Loaded into each tool before its program, by NODE_OPTIONS. Caches the code that V8 compiles, since a round starts the same tools
 * a dozen times. The program that runs is the same.
 */
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { basename, dirname, join } = require('node:path')
const vm = require('node:vm')

const { DAVIT_FAULT_COMPILED: directory = '' } = process.env
/** Node's internal name for the method; there is no public one. */
const COMPILE = '_compile'
const compileUsual = Module.prototype[COMPILE]

Module.prototype[COMPILE] = function compile(content, filename) {
  if (!/^davit-[a-z-]+\.cjs$/.test(basename(filename))) return compileUsual.call(this, content, filename)
  const file = join(directory, filename.replaceAll('/', '%'))
  const cachedData = readIfThere(file)
  const script = new vm.Script(Module.wrap(content.replace(/^#!.*/, '')), {
    filename,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  if (cachedData === undefined || script.cachedDataRejected) process.once('exit', () => keep(file, script))
  const require = Module.createRequire(filename)
  return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename))
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Saves the cache at exit, when it contains all functions that were compiled during the run. */
function keep(file, script) {
  const written = `${file}.${process.pid}`
  writeFileSync(written, script.createCachedData())
  renameSync(written, file)
}
