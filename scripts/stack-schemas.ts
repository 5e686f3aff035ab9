import { SCHEMA, TEXT } from './schema-parts.ts'

/** What is read as text may be written as another scalar: `version: 1.10`. */
const SCALAR = { type: ['string', 'number', 'boolean', 'null'] }
const NUMBER = { type: ['number', 'null'] }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

interface Described {
  readonly [word: string]: unknown
}

function about(description: string, schema: Described): Described {
  return { description, ...schema }
}

/** A table whose members have these schemas; nothing at all counts as an empty one. */
function table(properties: Readonly<Record<string, Described>>): Described {
  return { type: ['object', 'null'], properties, additionalProperties: false }
}

function tableOf(additionalProperties: Described | boolean): Described {
  return { type: ['object', 'null'], additionalProperties }
}

function sections(entry: Described): Described {
  return table({
    private: about('only seen in this stack and in those that are based on it', tableOf(entry)),
    public: about('seen by whoever uses the stack', tableOf(entry)),
  })
}

const SCHEMA_FIELDS = {
  description: SCALAR,
  base: about('type that is constrained', SCALAR),
  properties: about('properties of the tables that it describes', ref('properties')),
  pattern: about('regular expression in the syntax of RE2 that the whole text matches', SCALAR),
  maxLength: NUMBER,
  minLength: NUMBER,
  maximum: NUMBER,
  minimum: NUMBER,
  enum: { type: ['array', 'null'] },
}

const STACK_FIELDS = {
  name: about('name of the stack, such as acme/db', SCALAR),
  version: about('semantic version, or a commit', SCALAR),
  description: SCALAR,
  author: SCALAR,
  website: SCALAR,
  license: SCALAR,
  keywords: {},
  api: {},
  apis: {},
  security: {},
  base: about('reference to the stack that this one extends', SCALAR),
  abstract: about('no service can be made of it', { type: ['boolean', 'null'] }),
  intrinsic: about('a back end implements it', { type: ['boolean', 'null'] }),
  properties: about('what can be said about an instance', ref('properties')),
  schema: about('types of properties', sections(ref('schema'))),
  types: about('types of properties', sections(ref('schema'))),
  stacks: about('stacks for this file', table({ private: tableOf(ref('nested')) })),
  services: about('instances of other stacks', sections(ref('service'))),
}

const DEFINITIONS = {
  properties: tableOf({
    type: 'object',
    properties: {
      type: about('type: a word, TYPE[], map[KEY]TYPE, a reference to a stack, or a schema', {
        anyOf: [SCALAR, ref('schema')],
      }),
      description: SCALAR,
      default: about('value if none is given', {}),
      optional: about('it may be absent', { type: ['boolean', 'null'] }),
      readonly: about('a change replaces the service', { type: ['boolean', 'null'] }),
      perturbs: about('a change interrupts the service', { type: ['boolean', 'null'] }),
    },
    required: ['type'],
    additionalProperties: false,
  }),
  schema: table(SCHEMA_FIELDS),
  service: {
    type: ['object', 'null'],
    properties: { type: about('reference to its stack; without it, the key is one', TEXT) },
    additionalProperties: true,
  },
  nested: {
    anyOf: [table(STACK_FIELDS), { type: 'object', properties: { type: TEXT }, required: ['type'] }],
  },
}

const CLUSTER = table({
  default: about('used if none is named', { type: ['boolean', 'null'] }),
  description: SCALAR,
  cloud: about('aws, gcp, azure, vmware or machines', { enum: ['aws', 'gcp', 'azure', 'vmware', 'machines', null] }),
  scheduler: about('scheduler of the cloud', { enum: ['swarm', 'kubernetes', 'mesos', 'ecs', 'gke', 'acs', null] }),
  settings: about('for templates, and for the back end', tableOf(true)),
  infrastructure: about('infrastructure model with the machines, relative to the workspace', SCALAR),
  placement: about(
    'targets of services, by their names or NAME/**',
    tableOf({ type: ['array', 'null'], items: SCALAR }),
  ),
})

/** Schemas of the files that people write, by names; editors use them. */
export const STACK_SCHEMAS = {
  mufile: { $schema: SCHEMA, title: 'A stack file (Mu.yaml)', ...table(STACK_FIELDS), $defs: DEFINITIONS },
  muspace: {
    $schema: SCHEMA,
    title: 'A workspace file of stacks (Muspace.yaml)',
    ...table({
      namespace: about('names that begin with it are found in the workspace without it', SCALAR),
      clusters: about('where stacks run', tableOf(CLUSTER)),
      dependencies: about('versions of stacks, by references without a version', tableOf(SCALAR)),
      repositories: about('repositories of git, by references or NAMESPACE/...', tableOf(SCALAR)),
    }),
  },
}
