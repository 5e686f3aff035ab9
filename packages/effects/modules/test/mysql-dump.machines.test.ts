import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { installedShells, scratchPath } from './scene.ts'

// The reader is a program of awk, and there are several awks.
const shells = installedShells()
const readers = [...shells, ...(existsSync('/usr/bin/mawk') ? [{ name: 'mawk', path: withMawk() }] : [])]
const READER = new URL('../modules/shared/mysql-dump.sh', import.meta.url).pathname

const TABLE = 'CREATE TABLE `t` (`id` int, `word` text);\n'

/** Dumps that are refused. */
const DUMPS: readonly string[] = [
  '\\! touch PWNED\n',
  'SELECT 1 \\! touch PWNED\n',
  '\\. /etc/passwd\n',
  'system touch PWNED\n',
  'source /etc/passwd\n',
  'tee /tmp/x\n',
  'pager touch PWNED\n',
  `SELECT 'it''s' \\! x\n`,
  `SELECT '\\\\' \\! x '\n`,
  'SELECT `a``b` \\! x\n',
  "SELECT 1 /* ' */ \\! x /* ' */\n",
  "SELECT 1 -- '\n\\! x\n-- '\n",
  "SELECT 1 # '\n\\! x\n# '\n",
  "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t;\n",
  "LOAD DATA INFILE '/etc/passwd' INTO TABLE t;\n",
  "SELECT 1 INTO OUTFILE '/tmp/x';\n",
  "select 1 into\ndumpfile '/tmp/x';\n",
  "INSERT INTO `t` VALUES (1, LOAD_FILE('/etc/passwd'));\n",
  "INSERT INTO `t` VALUES (1, 'x'); GRANT ALL ON *.* TO evil;\n",
  "/*!50003 SELECT 1 INTO OUTFILE '/tmp/x' */;\n",
  '/*M!100000 GRANT ALL ON *.* TO evil */;\n',
  'USE mysql;\n',
  'USE `mysql`;\n',
  'CREATE DATABASE evil;\n',
  'DROP DATABASE victim;\n',
  'CREATE USER evil;\n',
  'CREATE/* x */USER evil;\n',
  'CREATE\nUSER evil;\n',
  'ALTER USER root IDENTIFIED BY "x";\n',
  'DROP USER root;\n',
  'RENAME USER root TO evil;\n',
  'CREATE ROLE evil;\n',
  'GRANT ALL ON *.* TO evil;\n',
  `${TABLE}REVOKE ALL ON *.* FROM root;\n`,
  'SET GLOBAL general_log = 1;\n',
  'SET PERSIST general_log = 1;\n',
  'SET @@GLOBAL.general_log = 1;\n',
  'SET @x = 1, @@global.general_log = 1;\n',
  'SET PASSWORD = "x";\n',
  'SET DEFAULT ROLE ALL TO evil;\n',
  "INSTALL PLUGIN x SONAME 'x.so';\n",
  "CREATE FUNCTION f RETURNS INT SONAME 'x.so';\n",
  "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x');\n",
  'SHUTDOWN;\n',
  'KILL 1;\n',
  'FLUSH PRIVILEGES;\n',
  'RESET MASTER;\n',
  'CHANGE MASTER TO MASTER_HOST = "x";\n',
  `PREPARE s FROM 'GRANT ALL ON *.* TO evil';\n`,
  `EXECUTE IMMEDIATE 'GRANT ALL ON *.* TO evil';\n`,
  'CALL p();\n',
  'HANDLER t OPEN;\n',
  'DELIMITER //\nSELECT 1//\n',
  'DELIMITER ;;\nCREATE PROCEDURE p() SELECT 1;; GRANT ALL ON *.* TO evil;;\n',
  "SELECT 'not ended;\n",
]

/** Dumps that are read, also where other databases must not be named. */
const HONEST: readonly string[] = [
  "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;\n",
  "-- don't GRANT\n# it's a USER\nDROP TABLE IF EXISTS `grant`;\n",
  "INSERT INTO `t` VALUES (1,'GRANT ALL; USE mysql'),(2,'it\\'s \\\\'),(3,NULL),(-4.5e10,0x00FF);\n",
  "INSERT INTO `t` VALUES\n(1,'victim.t \\\\! x'),\n(2,'a''b;');\n",
  "INSERT INTO `t` (`a`, `b`) VALUES (1,_binary '\\0\\r;GRANT');\n",
  'DELIMITER ;;\nCREATE PROCEDURE `p`()\nBEGIN\n  /* KILL it; */ CALL q(); -- don\'t\n  UPDATE t SET word = "USE x; \\" y";\nEND */;;\nDELIMITER ;\n',
  "CREATE TABLE `user` (`role` int, `outfile` text, `victim` text, KEY `x` (`role`)) COMMENT='it''s';\n",
  "/*!50001 CREATE VIEW `v` AS select `t`.`id` AS `id` from `t` where `t`.`word` = 'a' */;\n",
  'ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n',
  'ALTER DATABASE `shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci ;\n',
  'SELECT 3--1;\n',
]

/** Dumps that are refused where other databases must not be named. */
const NAMING: readonly string[] = [
  'INSERT INTO victim.t VALUES (1);\n',
  'INSERT INTO `victim`.`t` VALUES (1);\n',
  'INSERT INTO `victim` . `t` VALUES (1);\n',
  'INSERT INTO VICTIM.t SELECT * FROM t;\n',
  'DELIMITER ;;\nCREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW INSERT INTO victim.t VALUES (1);;\n',
  "DELIMITER ;;\nCREATE PROCEDURE p() BEGIN PREPARE s FROM 'x'; END;;\n",
  'SET sql_mode = NO_BACKSLASH_ESCAPES;\n',
]

describe.each(readers)('dumps of strangers under $name', ({ path }) => {
  test('are refused with the line that does not belong to a dump', () => {
    for (const [index, answer] of read(path, DUMPS, '').entries())
      expect([DUMPS[index], answer]).toEqual([
        DUMPS[index],
        { status: '1', stderr: expect.stringMatching(/^mysql-database: line \d+ of 'dump\.sql' .*\n$/) },
      ])
  })

  test.each(['', 'mysql\nvictim\n'])('are read if they are dumps', (others) => {
    for (const [index, answer] of read(path, HONEST, others).entries())
      expect([HONEST[index], answer]).toEqual([HONEST[index], { status: '0', stderr: '' }])
  })

  test('are refused if they name another database, where that matters', () => {
    for (const [index, answer] of read(path, NAMING, 'mysql\nvictim\n').entries())
      expect([NAMING[index], answer]).toEqual([
        NAMING[index],
        { status: '1', stderr: expect.stringContaining(' line ') },
      ])
  })

  test('lose their definers, and what belongs to the server', () => {
    const text = `SET @MYSQLDUMP_TEMP_LOG_BIN = @@SESSION.SQL_LOG_BIN;
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'a:1,
b:2';
/*!50003 CREATE*/ /*!50017 DEFINER=\`ro\`\`ot\`@\`%\`*/ /*!50003 TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1 */;;
CREATE DEFINER=\`root\`@\`localhost\` FUNCTION f() RETURNS int RETURN 1 ;;
CREATE DEFINER="ro""ot"@"localhost" PACKAGE "p" AS END ;;
INSERT INTO \`t\` VALUES ('CREATE DEFINER=\`root\`@\`localhost\`');
`
    const { stdout } = spawnSync('sh', ['-c', '. "$0"; without_definers', READER], {
      env: { PATH: path },
      input: text,
      encoding: 'utf8',
    })
    expect(stdout).toBe(`


/*!50003 CREATE*/ /*!50017 */ /*!50003 TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1 */;;
CREATE  FUNCTION f() RETURNS int RETURN 1 ;;
CREATE  PACKAGE "p" AS END ;;
INSERT INTO \`t\` VALUES ('CREATE DEFINER=\`root\`@\`localhost\`');
`)
  })
})

/** Reads each of these texts in one shell. */
function read(path: string, texts: readonly string[], others: string) {
  const directory = scratchPath(Object.fromEntries(texts.map((text, index) => [`${index}`, text])))
  const script = `. "$0"; for text in "$1"/*; do
  read_statements dump.sql "$2" <"$text" >"$text.err" 2>&1; printf '%s' "$?" >"$text.status"
done`
  spawnSync('sh', ['-c', script, READER, directory, others], { env: { PATH: path, LC_ALL: 'C' } })
  return texts.map((_, index) => ({
    status: readFileSync(join(directory, `${index}.status`), 'utf8'),
    stderr: readFileSync(join(directory, `${index}.err`), 'utf8'),
  }))
}

function withMawk(): string {
  const directory = scratchPath({})
  symlinkSync('/usr/bin/mawk', join(directory, 'awk'))
  return `${directory}:/usr/bin:/bin`
}
