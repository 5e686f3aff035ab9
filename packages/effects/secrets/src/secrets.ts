export { type SecretReading } from './read-secret.ts'
export { digestOf, isDigestOf } from './digest.ts'
export { NO_SECRETS, openSecrets, type SecretMemory, secretMemory, type Secrets } from './open-secrets.ts'
