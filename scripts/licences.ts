import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readManifest, ROOT } from './executables.ts'

/** Returns the directories of the npm packages that the files belong to. */
export function packagesOf(files: Iterable<string>): ReadonlySet<string> {
  return new Set([...files].flatMap((file) => IN_PACKAGE.exec(file)?.[1] ?? []))
}

const IN_PACKAGE = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Writes our licence, and the licence texts of each package to `licences/NAME@VERSION/`. */
export function writeLicences(packages: ReadonlySet<string>, directory: string): void {
  mkdirSync(directory, { recursive: true })
  cpSync(OURS, join(directory, 'LICENSE'))
  for (const found of packages) {
    const { name, version } = readManifest(join(ROOT, found))
    writeNotices(join(ROOT, found), join(directory, 'licences', `${name}@${String(version)}`))
  }
}

const OURS = join(ROOT, 'LICENSE')
const NOTICE = /^(licen[cs]e|copying|notice|copyright)\b/i

function writeNotices(from: string, to: string): void {
  const notices = readdirSync(from).filter((name) => NOTICE.test(name))
  mkdirSync(to, { recursive: true })
  for (const name of notices) cpSync(join(from, name), join(to, name))
  if (notices.length === 0) writeFileSync(join(to, 'LICENSE'), declaredLicence(from))
}

/** Makes a licence text for a package that only declares MIT in its package.json; the terms of MIT are always the same. */
function declaredLicence(directory: string): string {
  const { name, version, license, author, repository } = readManifest(directory)
  if (license !== 'MIT') {
    throw new Error(
      `'${basename(dirname(directory))}/${basename(directory)}' contains no text of its licence '${String(license)}'`,
    )
  }
  const text = readFileSync(OURS, 'utf8')
  const by = JSON.stringify({ name, version, license, author, repository }, null, 2)
  return `This package contains no licence text. Its package.json states:\n\n${by}\n\n${text.slice(text.indexOf('Permission is'))}`
}
