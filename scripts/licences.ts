import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readManifest, ROOT } from './executables.ts'

/** Directories of the npm packages to which files belong, of those that belong to one: what a bundle is made of. */
export function packagesOf(files: Iterable<string>): ReadonlySet<string> {
  return new Set([...files].flatMap((file) => IN_PACKAGE.exec(file)?.[1] ?? []))
}

const IN_PACKAGE = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Our licence, and in `licences/NAME@VERSION/` what each of the packages says about its own. */
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

/** Some say only in their package.json that it is MIT's, whose terms are the same for everybody. */
function declaredLicence(directory: string): string {
  const { name, version, license, author, repository } = readManifest(directory)
  if (license !== 'MIT') {
    throw new Error(
      `'${basename(dirname(directory))}/${basename(directory)}' has no text of its licence, '${String(license)}'`,
    )
  }
  const text = readFileSync(OURS, 'utf8')
  const by = JSON.stringify({ name, version, license, author, repository }, null, 2)
  return `As its package.json says, which is all that the package says of it:\n\n${by}\n\n${text.slice(text.indexOf('Permission is'))}`
}
