import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { BUNDLE } from './bundle-options.ts'
import { type Executable, readManifest, ROOT } from './executables.ts'
import { packagesOf } from './licences.ts'
import { splitPrograms } from './split-programs.ts'

/**
 * Bundles executables for an installation, together with the files that they read at run time, where they look for them:
 * `out/bin/NAME.cjs`, `out/programs/`, `out/modules/`, `out/runtime/`, `out/page/`, `out/stack-library/`, `out/target-programs/`, `out/nix/`, `out/api/`.
 * Returns the directories of the bundled npm packages.
 */
export async function bundlePrograms(
  programs: readonly Pick<Executable, 'name' | 'entry'>[],
  out: string,
): Promise<ReadonlySet<string>> {
  rmSync(out, { recursive: true, force: true })
  const inTools = await splitPrograms(programs, join(out, 'programs'))
  mkdirSync(join(out, 'bin'))
  for (const { name } of programs) placeLauncher(name, out)
  copyAssets(out)
  const inApi = await makeApi(join(out, 'api'))
  return new Set([...inTools, ...inApi])
}

/** Bundles executables into single files, `out/bin/NAME.cjs`, with what they read, except what typed models import. */
export async function bundleTools(
  programs: readonly Pick<Executable, 'name' | 'entry'>[],
  out: string,
): Promise<ReadonlySet<string>> {
  rmSync(out, { recursive: true, force: true })
  const packages = await bundleExecutables(programs, join(out, 'bin'))
  copyAssets(out)
  return packages
}

/**
 * Bundles only the executables themselves, as `NAME.cjs` in a directory. Many tests bundle the same ones, so those of a run of all tests are
 * kept in `DAVIT_TEST_BUNDLES`.
 */
export async function bundleExecutables(
  programs: readonly Pick<Executable, 'name' | 'entry'>[],
  directory: string,
  plugins: readonly Plugin[] = [],
): Promise<ReadonlySet<string>> {
  mkdirSync(directory, { recursive: true })
  const { DAVIT_TEST_BUNDLES: bundles } = process.env
  if (!bundles || plugins.length > 0) return buildExecutables(programs, directory, plugins)
  const kept = join(bundles, createHash('sha256').update(JSON.stringify(programs)).digest('hex').slice(0, 32))
  if (!existsSync(kept)) await keepExecutables(programs, kept)
  cpSync(kept, directory, { recursive: true })
  rmSync(join(directory, PACKAGES))
  return new Set(JSON.parse(readFileSync(join(kept, PACKAGES), 'utf8')) as string[])
}

/** Lists the npm packages in bundles that are kept. */
const PACKAGES = 'packages.json'

/** Builds beside the others, since two test files may need the same ones at the same time. */
async function keepExecutables(programs: readonly Pick<Executable, 'name' | 'entry'>[], kept: string): Promise<void> {
  const made = mkdtempSync(`${kept}-`)
  const packages = await buildExecutables(programs, made, [])
  writeFileSync(join(made, PACKAGES), JSON.stringify([...packages]))
  try {
    renameSync(made, kept)
  } catch (error) {
    if (!existsSync(kept)) throw error
    rmSync(made, { recursive: true })
  }
}

async function buildExecutables(
  programs: readonly Pick<Executable, 'name' | 'entry'>[],
  directory: string,
  plugins: readonly Plugin[],
): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    ...BUNDLE,
    plugins: [...plugins],
    entryPoints: programs.map(({ name, entry }) => ({ in: entry, out: name })),
    outdir: directory,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // Assets are found through it.
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'importMetaUrl' },
  })
  for (const { name } of programs) makeExecutable(join(directory, `${name}.cjs`))
  return packagesOf(Object.keys(metafile.inputs))
}

function makeExecutable(path: string): void {
  const program = readFileSync(path, 'utf8')
  if (!program.startsWith('#!')) writeFileSync(path, `#!/usr/bin/env node\n${program}`)
  chmodSync(path, 0o755)
}

const LAUNCHER = fileURLToPath(new URL('launcher', import.meta.url))

function placeLauncher(name: string, out: string): void {
  const launcher = join(out, 'bin', `${name}.cjs`)
  copyFileSync(join(LAUNCHER, 'launch.cjs'), launcher)
  chmodSync(launcher, 0o755)
  copyFileSync(join(LAUNCHER, 'load-program.cjs'), join(out, 'load-program.cjs'))
}

function copyAssets(out: string): void {
  // Tells Node that these files are CommonJS, wherever they are installed.
  writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n')
  cpSync(join(ROOT, 'packages/effects/modules/modules'), join(out, 'modules'), { recursive: true })
  cpSync(join(ROOT, 'packages/shipped/target-runtime/runtime'), join(out, 'runtime'), { recursive: true })
  for (const name of ['stack-library', 'target-programs']) {
    cpSync(join(ROOT, 'packages/shipped/stack-library', name), join(out, name), { recursive: true })
  }
  cpSync(join(ROOT, 'packages/planners/picture/page'), join(out, 'page'), {
    recursive: true,
    filter: (path) => !path.endsWith('.json'),
  })
  for (const programs of ['packages/workflows/models/nix', 'packages/effects/nix/nix']) {
    copyNixPrograms(join(ROOT, programs), join(out, 'nix'))
  }
}

/** Copies Nix programs. Those of several packages share a directory, so no two may have the same name. */
function copyNixPrograms(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true, force: false, errorOnExist: true })
}

/** Makes the package that typed models import, with declarations for editors outside of this repository. */
async function makeApi(directory: string): Promise<ReadonlySet<string>> {
  const entry = join(ROOT, 'packages/documents/davit/src/davit.ts')
  const { metafile } = await build({
    ...BUNDLE,
    entryPoints: [entry],
    outfile: join(directory, 'davit.mjs'),
    format: 'esm',
  })
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  const places = ['--rootDir', dirname(entry), '--outDir', directory]
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', ...places]
  execFileSync(compiler, ['-p', join(ROOT, 'packages/documents/davit/tsconfig.build.json'), ...options], {
    stdio: 'inherit',
  })
  const { name, license, type } = readManifest(join(ROOT, 'packages/documents/davit'))
  const { version } = readManifest(ROOT)
  const manifest = { name, version, license, type, exports: { '.': { types: './davit.d.ts', default: './davit.mjs' } } }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return packagesOf(Object.keys(metafile.inputs))
}
