import { all, show, type Subjects, violated } from './shown.ts'

interface CodeRow {
  readonly severity: 'error' | 'warning'
  /** The sentence, made of the values that it quotes. */
  text(...subjects: Subjects): string
  /** Meaning, and what to do. */
  readonly about: string
}

function error(text: CodeRow['text'], about: string): CodeRow {
  return { severity: 'error', text, about }
}

function warning(text: CodeRow['text'], about: string): CodeRow {
  return { severity: 'warning', text, about }
}

/** Codes of findings in stack files. Their numbers and the order of their subjects are stable; sentences are for people. */
export const CODES = {
  MU100: error(
    () => 'there is no stack file in this directory or above it',
    'Create `Mu.yaml`, or name the file or its directory.',
  ),
  MU101: warning(
    (name) => `${show(name)} is not read: its name is in other case`,
    'The file is called like one that is read, but in other case. Rename it.',
  ),
  MU102: warning(
    (name) => `${show(name)} is not read: its name has another extension`,
    'The file is called like one that is read, but for its extension. Rename it.',
  ),
  MU103: error((path) => `cannot read ${show(path)}`, 'A directory or a file cannot be read. Check its permissions.'),
  MU104: warning(
    (key) => `unknown key ${show(key)}`,
    'davit does not know this key, or has no use for it here, and ignores it. Perhaps it is misspelt.',
  ),
  MU105: warning(
    (name, wanted) => `this stack is called ${show(name)}, but the reference is to ${show(wanted)}`,
    'The file that a reference leads to states another name. Correct the name in the file, or the reference.',
  ),
  MU106: warning(
    (name) => `${show(name)} is no name that other services can refer to`,
    'Names are letters, digits and `_`, in parts joined by `/`. What has another name cannot be referred to.',
  ),
  MU120: error((word) => `unknown cloud ${show(word)}`, 'Clouds are aws, gcp, azure, vmware and machines.'),
  MU121: error(
    (word) => `unknown scheduler ${show(word)}`,
    'Schedulers are swarm, kubernetes, mesos, ecs, gke and acs.',
  ),
  MU122: error(
    (cloud, scheduler) => `the cloud ${show(cloud)} does not have the scheduler ${show(scheduler)}`,
    'Some schedulers exist on one cloud only: ecs on aws, gke on gcp, acs on azure. The cloud machines has none.',
  ),
  MU123: error(
    (given, cluster, own) => `the target ${show(given)} is not that of cluster ${show(cluster)}, which is ${show(own)}`,
    'The command line names another target than the cluster. Omit one of them.',
  ),
  MU124: error((name) => `the workspace has no cluster ${show(name)}`, 'Name a cluster of the workspace file.'),
  MU125: error(
    () => 'there is no target to make code for',
    'Name a cluster with `-c`, or a cloud with `-t`, or make a cluster the default.',
  ),
  MU126: error(
    (...names) => `several clusters are the default: ${all(names)}`,
    'Leave `default: true` with one of them.',
  ),
  MU150: error(
    (path) => `cannot read ${show(path)}`,
    'The stack file exists, but cannot be read. Check its permissions.',
  ),
  MU151: error(
    (problem) => String(problem),
    'The stack file is not valid YAML or JSON, or a value has the wrong shape.',
  ),
  MU152: error(
    (problem) => String(problem),
    'The workspace file is not valid YAML or JSON, or a value has the wrong shape.',
  ),
  MU153: error((problem) => String(problem), 'The template cannot be parsed or expanded, or refuses these arguments.'),
  MU154: error(
    (text) => `${show(text)} is no type of a map`,
    'Write `map[KEY]VALUE`; keys are string, number or bool.',
  ),
  MU155: error((text) => `${show(text)} is no type of a list`, 'Write `TYPE[]`.'),
  MU156: error(
    (text) => (text === '' ? 'the type is missing' : `${show(text)} is no reference to a stack`),
    'A reference is `[proto://][base/]name[@version]`; types are words or references.',
  ),
  MU500: error(() => 'the stack has no name', 'Give it a `name`.'),
  MU501: error(
    (text) => `${show(text)} is no version`,
    'Write a semantic version such as `1.0.0`, or a commit of 7 or 40 digits.',
  ),
  MU502: error((name) => `${show(name)} occurs twice`, 'Rename one of them; or refer to one version of a stack only.'),
  MU503: error(
    (reference) => `there is no stack ${show(reference)}`,
    'Correct the reference, or fetch the stack with `davit-fetch-stacks`.',
  ),
  MU504: error(() => 'the stack has no services', 'Give it a service, or `abstract: true`.'),
  MU505: error(
    (service, stack) => `service ${show(service)} cannot be made of ${show(stack)}, which is abstract`,
    'Use a stack that is based on the abstract one.',
  ),
  MU506: error(
    (name) => `the property ${show(name)} is missing`,
    'Give it a value, or declare it with a default, or as optional.',
  ),
  MU507: error(
    (name) => `there is no property ${show(name)}`,
    'The stack does not declare it. Correct its name, or declare it.',
  ),
  MU508: error(
    (wanted, got) => `expected ${show(wanted)}, but got ${show(got)}`,
    'The value or type does not fit the declared type.',
  ),
  MU509: error(
    (name) => `there is no service ${show(name)}`,
    'Values of type service name a service of the same stack, or one of its properties.',
  ),
  MU510: error(
    (name, stack) => `service ${show(name)}, of ${show(stack)}, has no endpoint`,
    'Give it a port, or a public service that has one.',
  ),
  MU511: error(
    (name, stack) => `service ${show(name)}, of ${show(stack)}, has several endpoints`,
    'Choose one of them: `name:service` or `name:port`.',
  ),
  MU512: error(
    (selector, name, stack) => `service ${show(name)}, of ${show(stack)}, has no endpoint ${show(selector)}`,
    'Name one of its public services or ports.',
  ),
  MU513: error(
    (selector, name, stack) => `${show(selector)} is private in service ${show(name)}, of ${show(stack)}`,
    'Make it public, or name another one.',
  ),
  MU514: error((part) => `${show(part)} is no name`, 'Names are letters, digits and `_`, in parts joined by `/`.'),
  MU515: error((word) => `${show(word)} is a schema, but a stack is wanted`, 'Name a stack.'),
  MU516: error(
    (word) => `there is no schema or primitive type ${show(word)}`,
    'Name a public schema, or a primitive type.',
  ),
  MU517: error(
    (constraint, wanted, got) => `${violated(String(constraint), wanted)}, but got ${show(got)}`,
    'The value violates a constraint of its schema, or the constraint does not fit its type.',
  ),
  MU600: error(
    (...names) => `services wait for each other: ${all(names)}`,
    'Break the cycle: one of them must not refer to the others.',
  ),
  MU601: error(
    (...names) => `stacks contain themselves without end: ${all(names)}`,
    'Instances nest at most 64 levels deep, and no stack makes itself with equal arguments.',
  ),
  MU602: error((...names) => `stacks are based on each other: ${all(names)}`, 'Break the cycle of `base`.'),
  MU603: error(
    (target) => `there is no back end for ${show(target)}`,
    'Targets are machines and aws. With `--skip-codegen`, others can be checked.',
  ),
  MU604: error(
    (name) => `the nested stack ${show(name)} cannot be public`,
    'Move it to `stacks.private`, or to a stack file of its own.',
  ),
  MU605: error(
    (name, spec, found) => `no version of ${show(name)} fits ${show(spec)}: ${show(found)} was found`,
    'Fetch the version that is wanted with `davit-fetch-stacks`, or change what the reference or the workspace asks for.',
  ),
  MU606: error(
    (service, stack) => `service ${show(service)} of ${show(stack)} is private, but public in its base`,
    'Declare it under `public`: what was public stays public.',
  ),
  MU610: error(
    (fqn) => `${show(fqn)} is incomplete`,
    'The back end needs more, and the message says what: something to run, code of a function, targets of a gateway, or when and whom an event tells.',
  ),
  MU611: error(
    (fqn, container) => `no target can take ${show(fqn)}, which needs a container ${show(container)}`,
    'Add targets or containers, or change `placement`.',
  ),
  MU612: error(
    (port, fqn, other) => `port ${show(port)} of ${show(fqn)} is taken by ${show(other)}, and no other place is left`,
    'Change one of the ports, or add targets.',
  ),
  MU613: error(
    (target, property) => `the property ${show(property)} of target ${show(target)} is no host name`,
    'Others must be able to reach the target by it.',
  ),
  MU614: warning(
    (fqn, property) => `${show(property)} of ${show(fqn)} is readonly, but has changed`,
    'The service is replaced. `--no-replace` refuses that.',
  ),
  MU1000: error((name) => `the target does not know ${show(name)}`, 'This intrinsic stack belongs to another cloud.'),
  MU10000: error((problem) => String(problem), 'The value cannot be written to a CloudFormation template.'),
  MU10001: error(
    (name) => `the enclosing stack has no property ${show(name)}`,
    '`properties` of aws/x/cf name properties of the stack around it.',
  ),
  MU10002: error(
    (name) => `extra properties cannot be merged into ${show(name)}`,
    'They must be a table or a list, like the property itself.',
  ),
} as const satisfies Readonly<Record<string, CodeRow>>

export type StackCode = keyof typeof CODES
