#!/usr/bin/env node
// Runs the program of the same name. An installation has one such file for each tool.
const { basename, join } = require('node:path')
const { runProgram } = require('../load-program.cjs')

// Code that V8 compiled in advance cannot call import() itself.
globalThis[Symbol.for('davit.import')] = (specifier) => import(specifier)

runProgram(join(__dirname, '../programs', basename(__filename, '.cjs')))
