// What models get for `import … from 'davit'`; an installation has the bundled package here, under the same name.
export * from '../../../documents/davit/src/davit.ts'
