// Writes the JSON schema of the log from the tables of messages: tsx scripts/log-schema.ts
import { writeFileSync } from 'node:fs'

import { messageCodes } from './codes.ts'
import { LOG_SCHEMA, schemaOf } from './log-line.ts'

const { anyOf, ...head } = schemaOf(await messageCodes())
const lines = anyOf.map((line) => JSON.stringify(line)).join(',\n')
writeFileSync(LOG_SCHEMA, `${JSON.stringify(head).slice(0, -1)},"anyOf":[\n${lines}\n]}\n`)
