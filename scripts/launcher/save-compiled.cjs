// Runs a program once, and saves the code that V8 compiled: node save-compiled.cjs INSTALLATION NAME [ARGUMENT]...
const { writeFileSync } = require('node:fs')
const { join } = require('node:path')
const v8 = require('node:v8')

const [node, , installation, name, ...words] = process.argv
process.argv = [node, join(installation, 'bin', `${name}.cjs`), ...words]
// V8 would only accept the code in a process with the same flags.
v8.setFlagsFromString = () => {}

const { runProgram } = require(join(installation, 'load-program.cjs'))
const scripts = runProgram(join(installation, 'programs', name))
process.once('exit', () => {
  for (const [file, script] of scripts) writeFileSync(file.replace(/js$/, 'cache'), script.createCachedData())
})
