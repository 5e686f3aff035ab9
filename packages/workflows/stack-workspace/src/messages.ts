import { detail, messages, note, warning } from '@davit/diagnostics'

const fields = { stack: 'text', version: 'text', repository: 'text' } as const

/** Which version of a stack a message is about, and where that comes from. */
export type FieldsOfStack = Readonly<Record<keyof typeof fields, string>>

export const say = messages({
  /** An argument of the stack stands more than once on the command line. */
  'argument-given-again': warning(
    { name: 'text' },
    ({ name }) => `the argument '${name}' is given more than once: the last one counts`,
  ),
  /** A stack was fetched to its place below the workspace, or below the home directory. */
  'stack-fetched': note(
    fields,
    ({ stack, version, repository }) => `fetched '${stack}' ${version} from '${repository}'`,
  ),
  /** The stack file of a tag states another version than the tag: who asks for one of them finds none. */
  'version-differs': warning(
    { ...fields, stated: 'text' },
    ({ stack, version, repository, stated }) =>
      `tag '${version}' of '${repository}' has a stack file of '${stack}' that says version '${stated}'`,
    "change 'version' in that file to the version of the tag, commit that, and tag again: nobody can ask for either version alone",
  ),
  /** A dry run found the version of a stack that would be fetched. */
  'would-fetch': note(
    fields,
    ({ stack, version, repository }) => `would fetch '${stack}' ${version} from '${repository}'`,
  ),
  /** With `--update`: the repository has nothing newer that fits. */
  'stack-is-current': detail(fields, ({ stack, version }) => `'${stack}' stays at ${version}`),
  /** With `--update`: the tag of a stack leads to another commit than when the stack was fetched before. */
  'tag-has-moved': warning(
    fields,
    ({ stack, version, repository }) =>
      `tag '${version}' of '${repository}' has moved: '${stack}' has another commit than before, of the same version`,
  ),
  /** With `--update`: the highest version that fits is lower than the one that was there. */
  'stack-goes-back': warning(
    { ...fields, before: 'text' },
    ({ stack, version, before }) => `'${stack}' goes back from ${before} to ${version}`,
    'either the repository has lost that tag, or the workspace asks for an older version',
  ),
  /** A directory of a fetched stack is a repository of its own. Submodules are not fetched, so the directory is empty. */
  'submodule-left-out': warning(
    { stack: 'text', directory: 'text' },
    ({ stack, directory }) =>
      `'${directory}' of stack '${stack}' is a submodule, which is not fetched: the directory is empty`,
  ),
})
