export { emitCloudFormation } from './emit-cloudformation.ts'
export { camelIdentifier, pascalIdentifier } from './identifier.ts'
