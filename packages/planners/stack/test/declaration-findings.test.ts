import { test } from 'vitest'
import { expectFindings } from './expect-findings.ts'

test.each<[string, string, string | readonly string[]]>([
  ['a table that is text', 'properties: ▸x', "MU151: 'properties' must be a table, but is 'x'"],
  ['a table that is a list', 'schema: ▸[]', "MU151: 'schema' must be a table, but is a list"],
  ['a preset type', 'stacks: { private: { s: { type: ▸2 } } }', "MU151: the type of 's' must be text"],
  ['a property that is text', 'properties: { p: ▸string }', "MU151: the property 'p' must be a table, but is 'string'"],
  ['a property that is nothing', 'properties: { p: ▸}', "MU151: the property 'p' must be a table"],
  ['a type that is a list', 'properties: { p: { type: ▸[x] } }', "MU151: the type of 'p' must be text, or a table"],
  [
    'a description',
    'properties: { p: { type: any, description: ▸[] } }',
    "MU151: 'description' must be text, but is a list",
  ],
  ['optional', 'properties: { p: { type: any, optional: ▸1 } }', "MU151: 'optional' must be true or false, but is 1"],
  [
    'readonly',
    'properties: { p: { type: any, readonly: ▸{} } }',
    "MU151: 'readonly' must be true or false, but is a table",
  ],
  [
    'perturbs',
    'properties: { p: { type: any, perturbs: ▸"no" } }',
    "MU151: 'perturbs' must be true or false, but is 'no'",
  ],
  [
    'a number in a default',
    'properties: { p: { type: number, default: ▸9007199254740993 } }',
    'MU151: 9007199254740993 is out of range: whole numbers beyond ±9007199254740991 are not exact',
  ],
  [
    'a schema that is text',
    'schema: { public: { s: ▸string } }',
    "MU151: the schema 's' must be a table, but is 'string'",
  ],
  [
    'a schema that is nothing',
    'schema: { public: { ▸s: } }',
    'MU156: the type is missing (write `base`, such as string, or `properties` for tables)',
  ],
  [
    'a description of a schema',
    'schema: { public: { s: { base: any, description: ▸[] } } }',
    "MU151: 'description' must be text, but is a list",
  ],
  [
    'base and properties',
    'schema: { public: { s: { base: ▸any, properties: {} } } }',
    "MU151: a schema has 'base' or 'properties', but not both",
  ],
  ['a base that is a table', 'schema: { public: { s: { base: ▸{} } } }', "MU151: 'base' must be text"],
  ['a base that is a list', 'schema: { public: { s: { base: ▸[] } } }', "MU151: 'base' must be text, or a table"],
  [
    'a pattern',
    'schema: { public: { s: { base: string, pattern: ▸[] } } }',
    "MU151: 'pattern' must be text, but is a list",
  ],
  ['a length', 'schema: { public: { s: { base: string, minLength: ▸"1" } } }', "MU151: 'minLength' must be a number"],
  ['an enum', 'schema: { public: { s: { base: string, enum: ▸x } } }', "MU151: 'enum' must be a list, but is 'x'"],
  ['metadata', 'author: ▸[me]', "MU151: 'author' must be text, but is a list"],
  ['unknown keys', '▸propertys: {}', "MU104: unknown key 'propertys' (did you mean 'properties'?)"],
  [
    'unknown keys of a property',
    'properties: { p: { type: any, default: 1, ▸optinal: true } }',
    "MU104: unknown key 'optinal' (did you mean 'optional'?)",
  ],
  [
    'unknown keys of a schema',
    'schema: { public: { s: { base: any, ▸patern: x } } }',
    "MU104: unknown key 'patern' (did you mean 'pattern'?)",
  ],
  ['unknown sections', 'services: { ▸privat: {} }', "MU104: unknown key 'privat' (did you mean 'private'?)"],
  [
    'public nested stacks',
    'stacks: { public: { ▸s: {} } }',
    "MU604: the nested stack 's' cannot be public (move it to `stacks.private`, or to a stack file of its own)",
  ],
  [
    'a key of a nested stack',
    'stacks: { private: { s: { ▸naem: b } } }',
    "MU104: unknown key 'naem' (did you mean 'name'?)",
  ],
  [
    'no type',
    'properties: { ▸p: {} }',
    'MU156: the type is missing (`type` says what it is, such as string or acme/db)',
  ],
  [
    'an empty type',
    'properties: { p: { type: ▸"" } }',
    'MU156: the type is missing (`type` says what it is, such as string or acme/db)',
  ],
  ['a list type', 'properties: { p: { type: ▸"[]x" } }', "MU155: '[]x' is no type of a list (write TYPE[])"],
  [
    'a map type',
    'properties: { p: { type: ▸"map[]x" } }',
    "MU154: 'map[]x' is no type of a map (write map[KEY]VALUE; keys are string, number or bool)",
  ],
  [
    'a map further in',
    'properties: { p: { type: ▸"xmap[string]any" } }',
    "MU154: 'xmap[string]any' is no type of a map (write map[KEY]VALUE; keys are string, number or bool)",
  ],
  [
    'a type that is no reference',
    'schema: { public: { s: { base: ▸"a b" } } }',
    "MU156: 'a b' is no reference to a stack (references are names, perhaps with a version, such as acme/db@^1.0.0: letters, digits and `_`, in parts joined by `/`)",
  ],
  [
    'a key of a map',
    'properties: { p: { type: ▸"map[any]any" } }',
    "MU154: 'map[any]any' is no type of a map (write map[KEY]VALUE; keys are string, number or bool)",
  ],
  [
    'a word',
    'properties: { p: { type: ▸strng } }',
    "MU503: there is no stack 'https://hub.mu.com/strng@latest' (did you mean 'string'?)",
  ],
  [
    'a word in a list',
    'properties: { p: { type: ▸"intt[]" } }',
    "MU503: there is no stack 'https://hub.mu.com/intt@latest' (no directory of the workspace has it, and no entry of its `repositories` is for it)",
  ],
  [
    'a word in an inline schema',
    'properties: { p: { type: { properties: { q: { type: ▸"int[]" } } } } }',
    "MU503: there is no stack 'https://hub.mu.com/int@latest' (did you mean 'number'?)",
  ],
  [
    'a schema of a stack',
    'schema: { public: { s: { base: ▸mu/container } } }',
    "MU516: there is no schema or primitive type 'mu/container'",
  ],
  [
    'a schema of a nested stack',
    'stacks: { private: { kind: { abstract: true } } }\nschema: { public: { s: { base: ▸kind }, kinds: { base: any } } }',
    "MU516: there is no schema or primitive type 'kind' (did you mean 'kinds'?)",
  ],
  [
    'schemas in a ring',
    'schema: { public: { s: { base: t }, t: { base: ▸s } } }',
    'MU516: schemas are based on each other',
  ],
  [
    'a constraint that does not fit',
    'schema: { public: { s: { base: number, pattern: ▸x } } }',
    "MU517: 'pattern' needs a string, but the type is number",
  ],
  [
    'a constraint of an object',
    'schema: { public: { s: { properties: {}, minimum: ▸1 } } }',
    "MU517: 'minimum' needs a number, but the type is object",
  ],
  [
    'a pattern that is none',
    'schema: { public: { s: { base: string, pattern: ▸"(" } } }',
    "MU517: '(' is no regular expression",
  ],
  [
    'an inline schema with a wrong constraint',
    'properties: { p: { type: { base: bool, maximum: ▸1 } } }',
    "MU517: 'maximum' needs a number, but the type is bool",
  ],
  [
    'a schema twice',
    'schema: { private: { s: { base: any } }, public: { ▸s: { base: any } } }',
    "MU502: 's' occurs twice",
  ],
  [
    'a wrong constraint in a schema',
    'schema: { public: { s: { properties: { p: { type: { base: bool, maxLength: ▸1 } } } } } }',
    "MU517: 'maxLength' needs a string, but the type is bool",
  ],
  [
    'a wrong constraint in an inline schema of another one',
    'properties: { p: { type: { properties: { q: { type: { base: bool, minimum: ▸1 } } } }, optional: true } }',
    "MU517: 'minimum' needs a number, but the type is bool",
  ],
  [
    'a word in a schema',
    'schema: { public: { s: { properties: { p: { type: ▸"int[]" } } } } }',
    "MU503: there is no stack 'https://hub.mu.com/int@latest' (did you mean 'number'?)",
  ],
  [
    'a type in a nested stack',
    'stacks: { private: { s: { abstract: true, properties: { p: { type: ▸"[]x" } } } } }',
    "MU155: '[]x' is no type of a list (write TYPE[])",
  ],
  [
    'a schema in a nested stack',
    'stacks: { private: { s: { abstract: true, schema: { private: { t: { base: ▸"[]x" } } } } } }',
    "MU155: '[]x' is no type of a list (write TYPE[])",
  ],
  [
    'a type in a nested stack of a nested stack',
    'stacks: { private: { s: { stacks: { private: { t: { properties: { p: { type: ▸"[]x" } } } } } } } }',
    "MU155: '[]x' is no type of a list (write TYPE[])",
  ],
  [
    'a base that is no type',
    'schema: { public: { s: { base: ▸"map[any]any" } } }',
    "MU154: 'map[any]any' is no type of a map (write map[KEY]VALUE; keys are string, number or bool)",
  ],
  [
    'the base of an inline schema',
    'properties: { p: { type: { base: ▸nope } } }',
    "MU503: there is no stack 'https://hub.mu.com/nope@latest' (no directory of the workspace has it, and no entry of its `repositories` is for it)",
  ],
  [
    'a preset that is no reference, as a type',
    'stacks: { private: { s: { type: ▸no! } } }\nproperties: { p: { type: s } }',
    "MU156: 'no!' is no reference to a stack (references are names, perhaps with a version, such as acme/db@^1.0.0: letters, digits and `_`, in parts joined by `/`)",
  ],
])('findings in what an abstract stack declares: %s', (_, declared, expected) => {
  expectFindings({ 'Mu.yaml': `name: a\nabstract: true\n${declared}` }, [expected].flat())
})
