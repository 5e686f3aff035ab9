import { test } from 'vitest'
import { expectFindings } from './expect-findings.ts'
import { server, type Texts, user } from './testing.ts'

test.each<[string, Texts | string, string | readonly string[]]>([
  ['an empty file', '▸# nothing\n', 'MU500: the stack has no name'],
  ['an empty name', 'version: 1.0.0\nname: ▸""\nabstract: true', 'MU500: the stack has no name'],
  ['markup', 'name: a\nservices: [▸', "MU151: expected ']' before this, or more indentation: a bracket is still open"],
  ['a list', '▸- a', 'MU151: a stack must be a table, but is a list'],
  ['a text that is a list', 'name: ▸[a]', "MU151: 'name' must be text, but is a list"],
  [
    'a truth value that is text',
    'name: a\nabstract: ▸"true"',
    "MU151: 'abstract' must be true or false, but is 'true'",
  ],
  ['a section that is a list', 'name: a\nservices: { public: ▸[b] }', "MU151: 'public' must be a table, but is a list"],
  [
    'a service that is text',
    'name: a\nservices: { public: { c: ▸b } }',
    "MU151: 'c' must be a table, but is 'b' (write { type: b })",
  ],
  ['a type of a service', 'name: a\nservices: { public: { c: { type: ▸2 } } }', "MU151: the type of 'c' must be text"],
  [
    'a number that is not exact',
    'name: a\nservices: { public: { c: { type: mu/container, port: ▸9007199254740993 } } }',
    'MU151: 9007199254740993 is out of range: whole numbers beyond ±9007199254740991 are not exact',
  ],
  [
    'a number in a list',
    'name: a\nservices: { public: { c: { type: mu/container, ports: [▸-9007199254740993] } } }',
    'MU151: -9007199254740993 is out of range: whole numbers beyond ±9007199254740991 are not exact',
  ],
  [
    'a number in a table',
    'name: a\nservices: { public: { c: { type: mu/container, args: { n: ▸9007199254740993 } } } }',
    'MU151: 9007199254740993 is out of range: whole numbers beyond ±9007199254740991 are not exact',
  ],
  [
    'a schema that is private there',
    {
      'Mu.yaml': 'name: a\nabstract: true\nproperties: { p: { type: ▸w/In } }',
      'w/Mu.yaml': 'name: w\nabstract: true\nschema: { private: { In: { base: any } } }',
    },
    "MU516: there is no schema or primitive type 'w/In'",
  ],
  ['a name that is none', 'name: ▸a-b\nabstract: true', "MU106: 'a-b' is no name that other services can refer to"],
  [
    'a service whose name is none',
    'name: a\nservices: { public: { ▸c-d: { type: mu/container } } }',
    "MU106: 'c-d' is no name that other services can refer to",
  ],
  [
    'a version',
    'name: a\nversion: ▸1.0\nabstract: true',
    "MU501: '1.0' is no version (versions are three numbers, such as 1.0.0, or a commit of 7 or 40 digits)",
  ],
  [
    'a base that is no reference',
    'name: a\nbase: ▸b@1\nabstract: true',
    "MU156: 'b@1' is no reference to a stack (versions are asked for as latest, 1.2.3, ^1.2.3, ~1.2.3, '>=1.0.0 <2.0.0', or a commit of 7 or 40 digits)",
  ],
  [
    'a type of a service that is no reference',
    'name: a\nservices: { public: { c: { type: ▸"b@1" } } }',
    "MU156: 'b@1' is no reference to a stack (versions are asked for as latest, 1.2.3, ^1.2.3, ~1.2.3, '>=1.0.0 <2.0.0', or a commit of 7 or 40 digits)",
  ],
  [
    'a key that is no reference',
    'name: a\nservices: { public: { ▸c-d: {} } }',
    "MU156: 'c-d' is no reference to a stack (references are names, perhaps with a version, such as acme/db@^1.0.0: letters, digits and `_`, in parts joined by `/`)",
  ],
  [
    'a preset that is no reference',
    'name: a\nstacks: { private: { s: { type: ▸no! } } }\nservices: { public: { c: { type: s } } }',
    "MU156: 'no!' is no reference to a stack (references are names, perhaps with a version, such as acme/db@^1.0.0: letters, digits and `_`, in parts joined by `/`)",
  ],
  [
    'a key that is neither',
    { 'Mu.yaml': 'name: a\nbase: b\nservices: { public: { ▸ma-in: {} } }', 'b/Mu.yaml': server('b') },
    "MU156: 'ma-in' is no reference to a stack (references are names, perhaps with a version, such as acme/db@^1.0.0: letters, digits and `_`, in parts joined by `/`)",
  ],
  [
    'a service twice',
    'name: a\nservices: { private: { c: { type: mu/container } }, public: { ▸c: { type: mu/container } } }',
    "MU502: 'c' occurs twice (the other one is at Mu.yaml:2:24; names are unique in a file, private and public ones together)",
  ],
  [
    'a reference',
    'name: a\nservices: { public: { c: { type: ▸mu/contaner } } }',
    "MU503: there is no stack 'https://hub.mu.com/mu/contaner@latest' (did you mean 'mu/container'?)",
  ],
  [
    'a base that is missing',
    'name: a\nbase: ▸hous\nabstract: true',
    "MU503: there is no stack 'https://hub.mu.com/hous@latest' (no directory of the workspace has it, and no entry of its `repositories` is for it)",
  ],
  [
    'a key that is missing',
    'name: a\nservices: { public: { ▸acme/web: {} } }',
    "MU503: there is no stack 'https://hub.mu.com/acme/web@latest' (no directory of the workspace has it, and no entry of its `repositories` is for it)",
  ],
  [
    'a version that does not fit',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: ▸b@^2.0.0 } } }',
      'b/Mu.yaml': server('b', '[80]', 'version: 1.0.0'),
    },
    "MU605: no version of 'b' fits '^2.0.0': '1.0.0' was found (ask for 1.0.0, or let davit-fetch-stacks fetch what is asked for)",
  ],
  [
    'two versions',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: b@1.0.0 }, d: { type: ▸b } } }',
      'b/Mu.yaml': server('b', '[80]', 'version: 1.0.0'),
    },
    "MU502: 'b' occurs twice, with different versions",
  ],
  [
    'two files',
    {
      'Mu.yaml': 'name: a\nservices: { private: { b@1.0.0: , c: { type: c } } }',
      'b/Mu.yaml': server('b', '[80]', 'version: 1.0.0'),
      '.Mudeps/b/Mu.yaml': 'name: b\nversion: 2.0.0\nintrinsic: true',
      'c/Mu.yaml': 'name: c\nservices: { public: { ▸b@2.0.0: } }',
    },
    "MU502: 'b' occurs twice: references lead to different versions of it",
  ],
  [
    'a schema where a stack is wanted',
    'name: a\nschema: { private: { s: { base: any } } }\nservices: { public: { c: { type: ▸s } } }',
    "MU515: 's' is a schema, but a stack is wanted",
  ],
  [
    'presets in a ring',
    'name: a\nstacks: { private: { s: { type: t }, t: { type: s } } }\nservices: { public: { c: { type: ▸s } } }',
    "MU601: stacks contain themselves without end: 's', 't'",
  ],
  [
    'bases in a ring',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }',
      'b/Mu.yaml': 'name: b\nbase: c',
      'c/Mu.yaml': 'name: c\nbase: ▸b',
    },
    "MU602: stacks are based on each other: 'b', 'c'",
  ],
  [
    'a name that differs',
    { 'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }', 'b/Mu.yaml': server('▸d') },
    "MU105: this stack is called 'd', but the reference is to 'b'",
  ],
  [
    'a name that differs, among templates',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }',
      'b/Mu.yaml': '{{/* b */}}\r\ndescription: >\r\n  b\r\nname:\r\n  ▸d\r\nintrinsic: {{true}}',
    },
    "MU105: this stack is called 'd', but the reference is to 'b'",
  ],
  [
    'a name that differs, in brackets',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }',
      'b/Mu.yaml': '# b\n{ intrinsic: {{true}}, name: ▸d }',
    },
    "MU105: this stack is called 'd', but the reference is to 'b'",
  ],
  [
    'no services',
    'version: 1.0.0\nname: ▸a',
    'MU504: the stack has no services (give it a service, or `abstract: true`)',
  ],
  [
    'an abstract stack',
    { 'Mu.yaml': 'name: a\nservices: { public: { c: { type: ▸b } } }', 'b/Mu.yaml': 'name: b\nabstract: true' },
    "MU505: service 'c' cannot be made of 'b', which is abstract",
  ],
  [
    'a wider property',
    {
      'Mu.yaml': 'name: a\nbase: b\nabstract: true\nproperties: { p: { type: ▸any } }',
      'b/Mu.yaml': 'name: b\nabstract: true\nproperties: { p: { type: string } }',
    },
    "MU508: expected 'string', but got 'any' ('p' of the base is 'string': it can be declared again with that type, or a narrower one)",
  ],
  [
    'a lower visibility',
    { 'Mu.yaml': 'name: a\nbase: b\nservices: { private: { ▸main: {} } }', 'b/Mu.yaml': server('b') },
    "MU606: service 'main' of 'a' is private, but public in its base (declare it under `public`: what was public stays public)",
  ],
  [
    'another stack',
    { 'Mu.yaml': 'name: a\nbase: b\nservices: { public: { main: { type: ▸mu/gateway } } }', 'b/Mu.yaml': server('b') },
    "MU508: expected 'mu/container', but got 'mu/gateway'",
  ],
  [
    'another stack by key',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { public: { ▸mu/main: } }',
      'b/Mu.yaml': server('b'),
      'mu/main/Mu.yaml': server('mu/main'),
    },
    "MU508: expected 'mu/container', but got 'mu/main'",
  ],
  [
    'equal names',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, x/main: { type: mu/container } } }',
      'b/Mu.yaml': 'name: b\nservices: { public: { ▸main: { type: mu/container } } }',
    },
    "MU502: 'a/x/main' occurs twice",
  ],
  [
    'itself',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }',
      'b/Mu.yaml': 'name: b\nservices: { public: { ▸d: { type: b } } }',
    },
    "MU601: stacks contain themselves without end: 'b'",
  ],
  [
    'a value',
    'name: a\nservices: { public: { c: { type: mu/container, port: ▸x } } }',
    "MU508: expected 'number', but got 'string' (write a number, such as 8080, without quotes)",
  ],
  [
    'an item',
    'name: a\nservices: { public: { c: { type: mu/container, ports: ▸[1, ▸x] } } }',
    [
      "MU508: expected 'number', but got 'string' (write a number, such as 8080, without quotes)",
      "MU508: expected 'number[]', but got 'list' (one of its elements has another type)",
    ],
  ],
  [
    'a key of a value',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u, a: ▸{ ▸x: 1 } } } }',
      'u/Mu.yaml': user('u', '  a: { type: "map[number]any" }'),
    },
    [
      "MU508: expected 'number', but got 'string' (write a number, such as 8080, without quotes)",
      "MU508: expected 'map[number]any', but got 'map' (one of its keys or values has another type)",
    ],
  ],
  [
    'a constraint',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u, a: ▸x } } }',
      'u/Mu.yaml': user('u', '  a: { type: { base: string, minLength: 2 } }'),
    },
    "MU517: minLength wants '2', but got '1'",
  ],
  [
    'a capability',
    'name: a\nservices: { public: { c: { type: mu/gateway, targets: ▸[▸1] } } }',
    [
      "MU508: expected 'service', but got 'number'",
      "MU508: expected 'service[]', but got 'list' (one of its elements has another type)",
    ],
  ],
  [
    'a service that there is not',
    'name: a\nproperties: { webs: { type: service, optional: true } }\nservices: { private: { web: { type: mu/container } }, public: { c: { type: mu/gateway, targets: [web, ▸wbe, ▸wbes] } } }',
    [
      "MU509: there is no service 'wbe' (did you mean 'web'?)",
      "MU509: there is no service 'wbes' (did you mean 'webs'?)",
    ],
  ],
  [
    'several endpoints',
    'name: a\nservices: { private: { b: { type: mu/container, ports: [1, 2] } }, public: { c: { type: mu/gateway, targets: [▸"b:."] } } }',
    "MU511: service 'b', of 'mu/container', has several endpoints (choose one of them, as 'b:SERVICE' or 'b:PORT')",
  ],
  [
    'a private endpoint',
    {
      'Mu.yaml':
        'name: a\nservices: { private: { b: { type: b } }, public: { c: { type: mu/gateway, targets: [▸"b:in"] } } }',
      'b/Mu.yaml': 'name: b\nservices: { private: { in: { type: mu/container } } }',
    },
    "MU513: 'in' is private in service 'b', of 'b'",
  ],
  [
    'names that are none',
    'name: a\nservices: { public: { c: { type: mu/gateway, targets: [▸"a b"] } } }',
    "MU514: 'a b' is no name",
  ],
  [
    'a default in a ring',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u } } }',
      'u/Mu.yaml': user('u', '  a: { type: service, default: ▸b }\n  b: { type: service, default: ▸a }'),
    },
    ["MU509: there is no service 'b'", "MU509: there is no service 'a'"],
  ],
  [
    'an unknown property',
    'name: a\nservices: { public: { c: { type: mu/container, ▸prot: 1 } } }',
    "MU507: there is no property 'prot' (did you mean 'port'?)",
  ],
  [
    'a missing property',
    { 'Mu.yaml': 'name: a\nservices: { public: { ▸c: { type: u } } }', 'u/Mu.yaml': user('u', '  a: { type: any }') },
    "MU506: the property 'a' is missing",
  ],
  [
    'a property that is null',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u, a: ▸~ } } }',
      'u/Mu.yaml': user('u', '  a: { type: any }'),
    },
    "MU506: the property 'a' is missing",
  ],
  [
    'a missing property of an object',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u, ▸a: {} } } }',
      'u/Mu.yaml': user('u', '  a: { type: { properties: { b: { type: any } } } }'),
    },
    "MU506: the property 'b' is missing",
  ],
  [
    'an unknown property of an object',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u, a: { ▸bb: 1 } } } }',
      'u/Mu.yaml': user('u', '  a: { type: { properties: { b: { type: any, optional: true } } } }'),
    },
    "MU507: there is no property 'bb' (did you mean 'b'?)",
  ],
  [
    'a default',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: u } } }',
      'u/Mu.yaml': user('u', '  a: { type: number, default: ▸x }'),
    },
    "MU508: expected 'number', but got 'string' (write a number, such as 8080, without quotes)",
  ],
  [
    'a missing property of the root',
    'version: 1.0.0\nname: ▸a\nproperties: { p: { type: any } }\nservices: { public: { c: { type: mu/container } } }',
    "MU506: the property 'p' is missing (give it as an argument: -- p=VALUE)",
  ],
  [
    'services in a ring',
    'name: a\nservices: { public: { ▸c: { type: mu/gateway, targets: [d], port: 1 }, d: { type: mu/gateway, targets: [c], port: 2 } } }',
    "MU600: services wait for each other: 'a/c', 'a/d' (one of them must not name the others)",
  ],
  ['a template', 'name: a\n{{▸panic "no %d" 1}}', 'MU153: no 1'],
  ['a template with a hint', 'name: a\n{{▸uper "x"}}', "MU153: there is no function 'uper' (did you mean 'upper'?)"],
  [
    'a template for a service',
    { 'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }', 'b/Mu.yaml': 'name: b\n{{▸panic "no"}}' },
    "MU153: no (this is the stack of service 'c', Mu.yaml:2)",
  ],
  [
    'a template for a service with a hint',
    { 'Mu.yaml': 'name: a\nservices: { public: { c: { type: b } } }', 'b/Mu.yaml': 'name: b\n{{▸uper "x"}}' },
    "MU153: there is no function 'uper' (did you mean 'upper'?; this is the stack of service 'c', Mu.yaml:2)",
  ],
  [
    'a reference that is almost one that was found',
    {
      'Mu.yaml': 'name: a\nservices: { public: { c: { type: acme/page }, d: { type: ▸acme/pag } } }',
      'acme/page/Mu.yaml': server('acme/page'),
    },
    "MU503: there is no stack 'https://hub.mu.com/acme/pag@latest' (did you mean 'acme/page'?)",
  ],
  [
    'presets that lead to a ring',
    'name: a\nstacks: { private: { s: { type: t }, t: { type: s }, u: { type: t } } }\nservices: { public: { c: { type: ▸u } } }',
    "MU601: stacks contain themselves without end: 's', 't'",
  ],
])('findings: %s', (_, marked, expected) => {
  expectFindings(typeof marked === 'string' ? { 'Mu.yaml': marked } : marked, [expected].flat())
})
