// What models get for `import … from 'davit'`; an installation has the bundled package here, under the same name.
export * from '../../davit/src/davit.ts'
