// Checks the floors of all packages: tsx scripts/check-floors.ts
import { ROOT } from './executables.ts'
import { floorProblems } from './floors.ts'

const problems = floorProblems(ROOT)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
