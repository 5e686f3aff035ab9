import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /**
   * A package in the store of this machine was altered, so that it was not sent. It is made again from the models. What was there is kept in
   * `.davit/set-aside` of the store, and the processes that run from there go on.
   */
  'package-remade': warning(
    { storePath: 'text' },
    ({ storePath }) =>
      `'${storePath}' was altered, and is made again; what was there is kept in '${asideOf(storePath)}'`,
    'a program that writes there needs a directory of its own, such as stateDirectory of the module process',
  ),
})

function asideOf(path: string): string {
  return `${path.slice(0, path.lastIndexOf('/'))}/.davit/set-aside`
}
