// Bundles executables: tsx scripts/bundle.ts [OUT [NOTICES]]
// In the directory of a package, bundles the executables of that package, elsewhere those of all. OUT is `dist` there by default.
// The licences of everything in the bundles are written to NOTICES.
import { join, resolve } from 'node:path'
import { bundlePrograms } from './bundle-programs.ts'
import { compilePrograms } from './compile-programs.ts'
import { executables, packageDirectories, ROOT } from './executables.ts'
import { writeLicences } from './licences.ts'

const directory = process.cwd()
const inPackage = packageDirectories().includes(directory)
const programs = executables(inPackage ? [directory] : undefined)
const out = resolve(process.argv[2] ?? join(inPackage ? directory : ROOT, 'dist'))
const packages = await bundlePrograms(programs, out)
compilePrograms(
  programs.map(({ name }) => name),
  out,
)
const notices = process.argv[3]
if (notices !== undefined) writeLicences(packages, resolve(notices))
console.log(`bundled ${programs.map(({ name }) => name).join(', ')} into ${out}`)
