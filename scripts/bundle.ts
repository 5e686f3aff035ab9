// Bundles executables: tsx scripts/bundle.ts [OUT]
// In the directory of a package, those of that package; elsewhere all. OUT is `dist` there if it is not given.
import { join, resolve } from 'node:path'
import { bundlePrograms } from './bundle-programs.ts'
import { executables, packageDirectories, ROOT } from './executables.ts'

const directory = process.cwd()
const inPackage = packageDirectories().includes(directory)
const programs = executables(inPackage ? [directory] : undefined)
const out = resolve(process.argv[2] ?? join(inPackage ? directory : ROOT, 'dist'))
await bundlePrograms(programs, out)
console.log(`bundled ${programs.map(({ name }) => name).join(', ')} into ${out}`)
