export { decodeField, encodeField } from './field.ts'
export { receiverScript, serverScript } from './runtime-script.ts'
