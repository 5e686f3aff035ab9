import { build, defineService, defineServices, source } from 'davit'

export default defineServices({
  /** The name of the package is that of the database. */
  HelloMySQLDB: {
    type: 'mysql-database',
    deployState: true,
    pkg: source('../HelloMySQLDB'),
  },
  HelloDBService: defineService({
    type: 'tomcat-webapplication',
    dependsOn: ['HelloMySQLDB'],
    /** The package contains where the database is. When the database moves, it is another package, and so another version. */
    pkg: ({ HelloMySQLDB: { name, target } }) =>
      build({
        sources: { src: '../HelloDBService' },
        env: { place: `${target.properties.hostname}:${target.container.port}/${name}` },
        script: '. "$src/build.sh"',
      }),
  }),
})
