import { messages, note, quoted, warning } from '@davit/diagnostics'

export const say = messages({
  /** A stack is deployed for the first time from this coordinator. `-p` selects its deployment in other tools. */
  'stack-profile': note(
    { profile: 'text', stack: 'text', cluster: 'text' },
    ({ profile, stack, cluster }) =>
      `stack ${quoted(stack)}${inCluster(cluster)} is the deployment '${profile}': other tools find it with -p ${profile}`,
  ),
  /**
   * A stack was deployed before stacks had deployments of their own, and davit goes on with that. To change the name, undeploy it with
   * `-p default`, which keeps its state, and deploy it with `-p NAME`.
   */
  'stack-default': note(
    { profile: 'text', stack: 'text', cluster: 'text' },
    ({ profile, stack, cluster }) =>
      `stack ${quoted(stack)}${inCluster(cluster)} was deployed as 'default' and goes on as that, not as '${profile}'; -p default says the same`,
  ),
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

/** Words for a cluster, if there is one. */
export function inCluster(cluster: string): string {
  return cluster === '' ? '' : ` in cluster ${quoted(cluster)}`
}

function asideOf(path: string): string {
  return `${path.slice(0, path.lastIndexOf('/'))}/.davit/set-aside`
}
