// Runs a program once, and saves the code that V8 compiled: node save-compiled.cjs INSTALLATION NAME [ARGUMENT]...
const { writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const v8 = require('node:v8')

const [node, , installation, name, ...words] = process.argv
process.argv = [node, join(installation, 'bin', `${name}.cjs`), ...words]
// V8 would only accept the code in a process with the same flags.
v8.setFlagsFromString = () => {}

const { loadProgram } = require(join(installation, 'load-program.cjs'))
const program = join(installation, 'programs', name)
const script = loadProgram(program)
process.once('exit', () => writeFileSync(`${program}.cache`, script.createCachedData()))
script.runInThisContext()(exports, require, module, `${program}.js`, dirname(program))
