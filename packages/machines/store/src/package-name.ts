import { DavitError, ExitStatus } from '@davit/diagnostics'

const NAME = /^[A-Za-z0-9_+?=.-]{1,200}$/

/** Refuses a name that is invalid for a package, or would be with the suffix that the store adds. */
export function checkPackageName(name: string, { suffix = '' }: { readonly suffix?: string } = {}): void {
  if (NAME.test(`${name}${suffix}`)) return
  throw new DavitError('bad-package-name', `'${name}' is not a valid package name`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'names consist of at most 200 letters, digits and +-._?=',
  })
}

/** Turns any name of a file into a valid name of a package. */
export function packageNameFor(fileName: string): string {
  return fileName.replaceAll(/[^A-Za-z0-9_+?=.-]/g, '-').slice(0, 200) || 'source'
}
