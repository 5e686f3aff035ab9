/** Where the server of `startMariadb` listens. */
export const MARIADB_SOCKET = '/run/mysqld/mysqld.sock'

/** Returns shell lines that make a MariaDB in /srv/mysql of a test host, start it, and wait for it. Its user `root` needs no password. */
export function startMariadb(...options: readonly string[]): string {
  const account = '--no-defaults --user=mysql --datadir=/srv/mysql'
  return `mkdir -p /run/mysqld /srv/mysql && chown mysql /run/mysqld /srv/mysql || exit
mariadb-install-db ${account} --auth-root-authentication-method=normal --skip-test-db >/dev/null || exit
setsid /usr/sbin/mariadbd ${account} --socket=${MARIADB_SOCKET} --pid-file=/run/mysqld/pid ${options.join(' ')} \\
  </dev/null >/dev/null 2>&1 &
${waitFor(`mariadb-admin --no-defaults -uroot -S ${MARIADB_SOCKET} ping >/dev/null 2>&1`)}`
}

/**
 * Returns shell lines that make a PostgreSQL in /srv/postgresql of a test host, start it, and wait for it. It has the lines of `access`;
 * without them, each user of the host is that user of the database.
 */
export function startPostgresql(options: readonly string[], access?: readonly string[]): string {
  const data = '/srv/postgresql/data'
  return `bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1) as_postgres='setpriv --reuid=postgres --regid=postgres --init-groups'
mkdir -p /run/postgresql /srv/postgresql && chown postgres /run/postgresql /srv/postgresql && cd / || exit
$as_postgres "$bin/initdb" -D ${data} -A peer -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null || exit
${access === undefined ? '' : `printf '%s\\n' ${access.map((line) => `'${line}'`).join(' ')} >${data}/pg_hba.conf`}
setsid $as_postgres "$bin/postgres" -D ${data} ${options.join(' ')} </dev/null >/dev/null 2>&1 &
${waitFor('"$bin/pg_isready" -q')}`
}

function waitFor(command: string): string {
  return `tries=0
until ${command}; do
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || exit 1
  sleep 0.1
done`
}
