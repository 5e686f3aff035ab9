#!/usr/bin/env node
// Runs the program of the same name. An installation has one such file for each tool.
const { basename, dirname, join } = require('node:path')
const { loadProgram } = require('../load-program.cjs')

// Code that V8 compiled in advance cannot call import() itself.
globalThis[Symbol.for('davit.import')] = (specifier) => import(specifier)

const program = join(__dirname, '../programs', basename(__filename, '.cjs'))
loadProgram(program).runInThisContext()(exports, require, module, `${program}.js`, dirname(program))
