import { DavitError, ExitStatus } from '@davit/diagnostics'

const NAME = /^[A-Za-z0-9_+?=.-]{1,200}$/

/** The suffix is what the store will add to it. */
export function checkPackageName(name: string, { suffix = '' }: { readonly suffix?: string } = {}): void {
  if (NAME.test(`${name}${suffix}`)) return
  throw new DavitError('bad-package-name', `'${name}' cannot be the name of a package`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'names consist of letters, digits and +-._?=, at most 200',
  })
}

/** The nearest valid name of a package for a file of any name. */
export function packageNameFor(fileName: string): string {
  return fileName.replaceAll(/[^A-Za-z0-9_+?=.-]/g, '-').slice(0, 200) || 'source'
}
