export { decodeField, encodeField } from './field.ts'
export {
  adoptScript,
  buildServerScript,
  type BuiltToAdopt,
  type BuildServer,
  type NativeStorePlaces,
  senderScript,
  type TreesToSend,
} from './native-build-script.ts'
export {
  collectorScript,
  type NixOperation,
  nixScript,
  receiverScript,
  serverScript,
  type TransferPlace,
} from './runtime-script.ts'
