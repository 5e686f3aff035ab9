// Refuses regular expressions that may take more steps than a text is long: tsx scripts/check-expressions.ts
import { ROOT } from './executables.ts'
import { expressionProblems, shippedExpressions } from './expressions/expression-problems.ts'

const problems = expressionProblems(shippedExpressions(ROOT))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
