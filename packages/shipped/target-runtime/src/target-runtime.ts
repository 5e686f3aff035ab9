export { decodeField, encodeField } from './field.ts'
export {
  adoptScript,
  buildServerScript,
  type BuiltToAdopt,
  type BuildServer,
  directSenderScript,
  type FilesToSend,
  type NativeStorePlaces,
  senderScript,
  type TreesToSend,
} from './native-build-script.ts'
export { type Operation, operation, type OperationName, OPERATIONS, type Role, SLOW } from './operations.ts'
export { RECORD_STATES, type RecordState, recordState, type UnsettledState } from './record-state.ts'
export { type Refusal, REFUSALS } from './refusals.ts'
export type { ActivityRequestOf, FieldsOf, RequestOf } from './request.ts'
export {
  type HelperToStart,
  helperScript,
  loaded,
  type NixOperation,
  nixScript,
  receiverScript,
  type TransferPlace,
} from './runtime-script.ts'
