import { DavitError, ExitStatus } from '@davit/diagnostics'

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$/

export function checkRootName(name: string): void {
  if (NAME.test(name)) return
  throw new DavitError('bad-root-name', `'${name}' is not a valid root name`, {
    exitStatus: ExitStatus.usage,
    hint: 'names must match [A-Za-z0-9_][A-Za-z0-9_.+-]*',
  })
}
