export { type DiagnosedMapping, findMappings, type FoundMappings } from './find-mappings.ts'
export { openDiagnosis, runDiagnosis } from './diagnose.ts'
