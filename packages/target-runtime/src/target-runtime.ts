export { receiverScript, serverScript } from './runtime-script.ts'
