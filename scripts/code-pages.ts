// Writes docs/errors.md and the JSON schemas of what tools print, and of stack files: tsx scripts/code-pages.ts
import { writeFileSync } from 'node:fs'

import { messageCodes } from './codes.ts'
import { ERRORS_PAGE, errorsPage } from './errors-page.ts'
import { LOG_SCHEMA, schemaOf } from './log-line.ts'
import { OUTPUT_SCHEMAS, schemaFile } from './output-schemas.ts'
import { STACK_SCHEMAS } from './stack-schemas.ts'

const codes = await messageCodes()
writeFileSync(ERRORS_PAGE, errorsPage(codes))
const { anyOf, ...head } = schemaOf(codes)
const lines = anyOf.map((line) => JSON.stringify(line)).join(',\n')
writeFileSync(LOG_SCHEMA, `${JSON.stringify(head).slice(0, -1)},"anyOf":[\n${lines}\n]}\n`)
for (const [name, schema] of Object.entries({ ...OUTPUT_SCHEMAS, ...STACK_SCHEMAS })) {
  writeFileSync(schemaFile(name), `${JSON.stringify(schema, undefined, 2)}\n`)
}
