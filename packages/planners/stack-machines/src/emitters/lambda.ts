import { type Instance, placeOfValue } from '@davit/stack'
import { TARGET_PROGRAMS } from '@davit/stack-library'
import { textIn } from '../endpoints.ts'
import { shellWord } from '../shell.ts'
import type { Draft, Emitting } from '../unit.ts'
import { environmentOf, hasVariableNames, nulProblem } from './environment.ts'
import { type Problem, reportIncomplete } from './incomplete.ts'
import { BY_NODE, INTO_PACKAGE, startScript } from './start-script.ts'

const RUNTIMES = ['node', 'program']

/** A function: a shipped program serves it over HTTP. */
export function emitLambda(leaf: Instance, emitting: Emitting): Draft | undefined {
  const code = textIn(leaf, 'code')
  const problem = problemOf(leaf)
  if (problem !== undefined || code === undefined) return problem && reportIncomplete(leaf, problem, emitting)
  if (!hasVariableNames(leaf, ['env'], emitting)) return undefined
  const source = emitting.sourceOf(leaf, 'code', code)
  const [port] = emitting.portsOf(leaf)
  if (source === undefined || port === undefined) return undefined
  const words = [port, runtimeOf(leaf), handlerOf(leaf)].map((word) => shellWord(String(word)))
  return {
    type: 'process',
    packageFor({ links }) {
      const script = startScript({
        paths: [INTO_PACKAGE, `set -- '$program/main.mjs'`],
        words: [`set -- "$1" ${words.join(' ')}`, ...BY_NODE],
        environment: environmentOf(leaf, emitting, links),
        readyPort: port,
      })
      const program = { source: TARGET_PROGRAMS.lambda, name: 'lambda' }
      return { build: { script, inputs: { package: { source, name: 'package' }, program } } }
    },
  }
}

function runtimeOf(leaf: Instance): string {
  return textIn(leaf, 'runtime') ?? 'node'
}

function handlerOf(leaf: Instance): string {
  return textIn(leaf, 'handler') ?? 'index.handler'
}

function problemOf(leaf: Instance): Problem | undefined {
  const { fqn } = leaf
  const [runtime, handler] = [runtimeOf(leaf), handlerOf(leaf)]
  if (textIn(leaf, 'code') === undefined) {
    return { message: `'${fqn}' has no code`, hint: 'name the directory of the function as `code`' }
  }
  if (!RUNTIMES.includes(runtime)) {
    return {
      message: `'${fqn}' has an unknown runtime ${JSON.stringify(runtime)}`,
      hint: 'runtimes are node and program',
      place: placeOfValue(leaf, 'runtime'),
    }
  }
  if (runtime === 'node' && !/^.+\.[A-Za-z_$][A-Za-z0-9_$]*$/.test(handler)) {
    const message = `'${fqn}' has no function ${JSON.stringify(handler)}`
    return { message, hint: 'write MODULE.EXPORT, such as index.handler', place: placeOfValue(leaf, 'handler') }
  }
  return nulProblem(leaf, ['handler', 'env'])
}
