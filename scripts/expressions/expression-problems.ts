import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RegExpParser } from '@eslint-community/regexpp'
import { ambiguityOf } from './ambiguity.ts'
import { automatonOf, Unknown } from './automaton.ts'
import { type Expression, expressionsIn } from './expressions-in.ts'
import { positionsOf } from './positions.ts'

/** Expressions that are made of what is only known at run time, each with the reason why it is linear. */
const MADE_AT_RUN_TIME: ReadonlyMap<string, string> = new Map([
  ['packages/effects/connection/src/ssh-hosts.ts', 'a pattern of the configuration of ssh, for names of files'],
  ['packages/effects/modules/src/process-settings.ts', 'a name of letters'],
  ['packages/machines/target/src/condition-fact.ts', 'words between blanks'],
  ['packages/machines/target/src/records/observation-answer.ts', 'words between blanks'],
  ['packages/workflows/service-logs/src/line-time.ts', 'names of months between digits'],
])

export interface PlacedExpression extends Expression {
  readonly file: string
}

/** Finds the regular expressions of what is shipped. */
export function shippedExpressions(root: string): readonly PlacedExpression[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages', 'scripts/launcher'], {
    cwd: root,
    encoding: 'utf8',
  })
  const files = listed
    .split('\n')
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !/\/(?:test|fixtures|tests)\//.test(file))
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return expressionsIn(text, file).map((expression) => ({ ...expression, file }))
  })
}

/** Says which of the expressions may take more steps than a text is long. */
export function expressionProblems(expressions: readonly PlacedExpression[]): readonly string[] {
  return expressions.flatMap(({ file, line, pattern, flags }) => {
    const place = `${file}:${line}`
    if (pattern === undefined) {
      const isKnown = MADE_AT_RUN_TIME.has(file)
      return isKnown ? [] : [`${place}: this expression is made at run time: write it as a literal, or compare texts`]
    }
    const problem = problemOf(pattern, flags)
    return problem === undefined ? [] : [`${place}: /${pattern}/${flags} ${problem}`]
  })
}

/** Says what is wrong with an expression; undefined if it never takes more steps than a text is long. */
export function problemOf(pattern: string, flags: string): string | undefined {
  try {
    const { pattern: parsed, flags: read } = new RegExpParser().parseLiteral(`/${pattern}/${flags}`)
    const ambiguity = ambiguityOf(positionsOf(automatonOf(parsed, read)))
    return ambiguity && `can take ${ADVICE[ambiguity]}`
  } catch (error) {
    if (error instanceof Unknown) return `has ${error.message}, whose cost is not known`
    throw error
  }
}

const ADVICE = {
  exponential: 'years: let no repetition match what one around it or beside it matches',
  quadratic:
    'hours on a long text: let no two repetitions match the same, begin what may be anywhere with a look behind (`/(?<! ) +$/`), or use indexOf',
}
