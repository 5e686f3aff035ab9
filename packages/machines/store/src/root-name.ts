import { DavitError, ExitStatus } from '@davit/diagnostics'

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$/

export function checkRootName(name: string): void {
  if (NAME.test(name)) return
  throw new DavitError('bad-root-name', `'${name}' cannot be the name of a root`, {
    exitStatus: ExitStatus.usage,
    hint: 'names match [A-Za-z0-9_][A-Za-z0-9_.+-]*',
  })
}
