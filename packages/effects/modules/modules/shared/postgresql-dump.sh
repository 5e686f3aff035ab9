# Reads SQL for psql whose author nobody knows. A module includes it after `database`.

# read_sql FILE PART: reads SQL on standard input, and refuses, with the number of its line, what is a command of psql, or what no dump of
# one database has. FILE is how it is called in messages. PART says what is printed:
# - own: what makes the content, which whoever owns the database may do; rights: who owns what, and who may do what with it;
# - all: everything; only commands of psql are refused;
# - creation, settings: nothing; only what this module writes there is not refused.
# $known_parameters are those that the server has, one per line: a default for one that it lacks is left out, as other versions write it.
# What is left out of a line leaves its end, so that the server counts lines as the file does. $psql_reads_key is empty where psql reads
# commands wherever it takes something for one: then it must take each text for what it is here.
read_sql() {
  file=$1 part=$2 new=$new careful=${psql_reads_key:-yes} known=${known_parameters-} awk "$sql_reader"
}

# psql and the server end texts, names, comments and statements in the same way as this. `raw` is a statement without its comments; `form`
# is that with names in quotes as Q (D, if it is `database`), and texts as S.
# shellcheck disable=SC2016
sql_reader='
  BEGIN {
    part = ENVIRON["part"]; careful = ENVIRON["careful"] == "yes"; is_dump = part != "creation" && part != "settings"
    prints_own = part == "own" || part == "all"
    checks_known = split(ENVIRON["known"], list, "\n")
    for (i = 1; i <= checks_known; i++) is_known[list[i]] = 1
    name = "[^ ;(),\047]+"; text = "(E|U&)?S"; arguments = "( ?[(][^()]*[)])?"
    owned = "^ALTER (TABLE|VIEW|MATERIALIZED VIEW|SEQUENCE|FOREIGN TABLE|TYPE|DOMAIN|SCHEMA|COLLATION|CONVERSION|STATISTICS|PUBLICATION|SERVER|" \
      "LARGE OBJECT|TEXT SEARCH CONFIGURATION|TEXT SEARCH DICTIONARY|FUNCTION|PROCEDURE|AGGREGATE|ROUTINE|OPERATOR|OPERATOR CLASS|" \
      "OPERATOR FAMILY) " name arguments "( USING " name ")? OWNER TO " name "$"
    granted = "^(GRANT|REVOKE)( GRANT OPTION FOR)? [A-Z0-9_ ,Q()]+ ON (TABLE|SEQUENCE|FUNCTION|PROCEDURE|SCHEMA|TYPE|DOMAIN|LARGE OBJECT|" \
      "LANGUAGE|FOREIGN SERVER|FOREIGN DATA WRAPPER) " name arguments " (TO|FROM) " name "( WITH GRANT OPTION)?( GRANTED BY " name ")?$"
    by_default = "^ALTER DEFAULT PRIVILEGES FOR ROLE " name "( IN SCHEMA " name ")? (GRANT|REVOKE)( GRANT OPTION FOR)? [A-Z ,]+ ON [A-Z ]+ " \
      "(TO|FROM) " name "( WITH GRANT OPTION)?$"
    setting = "^ALTER (DATABASE|ROLE " name " IN DATABASE) :D SET " name " TO (" name "|" text ")( ?, ?(" name "|" text "))*$"
    locale = "( LOCALE_PROVIDER (ICU ICU_LOCALE|BUILTIN BUILTIN_LOCALE) " text ")?( ICU_RULES " text ")?( TABLESPACE " name ")?$"
    foreign = "^(ALTER SYSTEM|(CREATE|ALTER|DROP) (ROLE|GROUP|DATABASE|TABLESPACE)|" \
      "LOAD|DO|EXECUTE|PREPARE|CALL|DISCARD|CHECKPOINT|LISTEN|NOTIFY|IMPORT|VACUUM|REASSIGN|DROP OWNED|" \
      "SET( LOCAL| SESSION)? (ROLE|SESSION_AUTHORIZATION)|RESET (ROLE|ALL|SESSION_AUTHORIZATION)|" \
      "COPY|(GRANT|REVOKE) [^()]* ON (DATABASE|TABLESPACE|PARAMETER)) "
  }
  copying { if (prints_own) print; if ($0 == "\\." || $0 == "\\.\r") copying = 0; next }
  { read_line() }
  END {
    if (failed) exit 1
    if (state != "") refuse("ends within a text, a name or a comment")
    if (raw ~ /[^ \t\r\n\f\v]/ || flushed) end_statement()
    if (copying) refuse("ends within the rows of a table")
  }

  function read_line(   count, i, c) {
    count = split($0, piece, /[\047"$\\;()*\/-]/)
    if (count > 1000000) refuse("is too long")
    runs = split($0, run, /[^\047"$\\;()*\/-]+/); current = 1; offset = 0
    for (i = 1; i <= runs; i++) if (length(run[i]) > 20000) refuse("is too long")
    line_ends = escaped = before_tag = 0; pieces = count; before = ""
    for (at = 1; at <= pieces && !line_ends; at++) {
      read_piece(piece[at])
      if (at < pieces && !line_ends) { c = next_special(); read_special(c, piece[at]); before = c }
    }
    if (copying) { if (prints_own) print ""; return }
    if (state == "" && raw == "" && !flushed) { if (prints_own) print "" }
    else { if (state == "") form = form " "; keep("\n") }
  }
  function special_at(forward,   r, o) {
    r = current; o = offset
    while (1) {
      if (o < length(run[r])) { if (!forward) { current = r; offset = o + 1 } return substr(run[r], o + 1, 1) }
      r++; o = 0
    }
  }
  function next_special() { return special_at(0) }
  function is_adjacent(c) { return at + 1 < pieces && piece[at + 1] == "" && special_at(1) == c }

  function keep(s) {
    if (flushed) { if (prints_own) printf "%s", s; return }
    raw = raw s
    if (length(raw) < 8000) return
    if (toupper(substr(form, 1, 8)) ~ /^ *COPY / || !is_dump) { if (length(raw) > 200000) refuse("is too long"); return }
    check_foreign(squeezed(form))
    if (prints_own) printf "%s", raw
    flushed = 1; raw = ""; form = "flushed"
  }

  function read_piece(s) {
    if (s == "") return
    if (state == "e" && escaped) escaped = 0
    if (state != "") { if (state == "\"" ) quoted_name = quoted_name s; if (state != "/*") keep(s); return }
    if (raw == "" && !flushed) sub(/^[ \t\r\n\f\v]+/, "", s)
    if (s == "") return
    if (s ~ /[^ \t\r\n\f\v]/) { after_escapes = 0; if (ended) refuse_command() }
    if (words < 4 || is_function) read_words(s)
    if (!flushed) form = form s
    keep(s)
  }
  # As psql does, to know whether a semicolon is inside of the body of a function.
  function read_words(s,   count, i, word, list) {
    count = split(tolower(s), list, /[\001-\057\072-\100\133-\136\140\173-\177]+/)
    for (i = 1; i <= count; i++) {
      word = list[i]
      if (word == "") continue
      if (word ~ /^[0-9]/) { if (is_function && word ~ /(begin|case|end)$/) refuse("has a number that is not one"); continue }
      if (words++ < 4) {
        beginning = beginning " " word
        is_function = beginning ~ /^ create (or replace )?(function|procedure)/
      }
      if (!is_function || parentheses) continue
      if (word == "begin" || word == "case" && begins) begins++
      else if (word == "end" && begins) begins--
    }
  }

  function read_special(c, s) {
    if (state == "\047" || state == "e" || state == "\"") read_quoted(c, s)
    else if (state == "$") { keep(c); if (c == "$" && "$" s "$" == tag && before_tag) { state = ""; before_tag = 0 } else before_tag = c == "$" }
    else if (state == "/*") read_comment(c, s)
    else read_plain(c, s)
  }
  function read_quoted(c, s) {
    if (state == "e" && escaped) escaped = 0
    else if (state == "e" && c == "\\") escaped = 1
    else if (c == (state == "\"" ? "\"" : "\047")) {
      if (is_adjacent(c)) { next_special(); at++; keep(c c); quoted_name = quoted_name c; return }
      if (careful && state == "\047" && s == "" && before == "\\") refuse("has a backslash before the end of a text, which this psql may read otherwise")
      after_escapes = state == "e"
      if (!flushed) form = form (state != "\"" ? "S" : quoted_name == "database" ? "D" : "Q")
      state = ""
    } else if (state == "\"") quoted_name = quoted_name c
    keep(c)
  }
  # Comments are left out.
  function read_comment(c, s) {
    if (s == "" && before_comment == "*" && c == "/") { depth--; before_comment = ""; if (!depth) { state = ""; keep(" "); if (!flushed) form = form " " } }
    else if (s == "" && before_comment == "/" && c == "*") { depth++; before_comment = "" }
    else before_comment = c
  }
  function read_plain(c, s) {
    if (ended && c !~ /[-\/*]/) refuse_command()
    if (c == "-" && is_adjacent("-")) { line_ends = 1; return }
    if (c == "/" && is_adjacent("*")) { next_special(); at++; state = "/*"; depth = 1; before_comment = ""; return }
    if (c == "\\") { read_command(); return }
    if (c == "\047") begin_text(s)
    else if (c == "\"") { state = "\""; quoted_name = "" }
    else if (c == "$") { begin_tag(s); return }
    else if (c == "(") parentheses++
    else if (c == ")") { if (parentheses) parentheses-- }
    else if (c == ";" && !parentheses) {
      if (!begins) { end_statement(); return }
      if (careful) refuse("ends a statement in the body of a function, which this psql may read otherwise")
    }
    after_escapes = 0
    if (!flushed && state == "") form = form c
    keep(c)
  }
  function begin_text(s) {
    if (after_escapes) refuse("continues a text, which davit does not read")
    state = "\047"
    if (s ~ /[eE]$/ && s !~ /[^\001-\057\072-\100\133-\136\140\173-\177][eE]$/) state = "e"
    else if (s ~ /[0-9][eE]$/) refuse("has a number that is not one")
  }
  # Dollars begin a text, or a parameter. In a name they have quotes around them.
  function begin_tag(s) {
    if (s ~ /[^\001-\057\072-\100\133-\136\140\173-\177]$/ || (s == "" && before == "$")) refuse("has a dollar in a name without quotes")
    keep("$")
    if (at + 1 < pieces && special_at(1) == "$" && piece[at + 1] ~ /^([^\001-\100\133-\136\140\173-\177][^\001-\057\072-\100\133-\136\140\173-\177]*)?$/) {
      tag = "$" piece[at + 1] "$"; keep(piece[at + 1] "$"); next_special(); at++
      state = "$"; before_tag = 0
      if (!flushed) form = form "S"
    } else if (piece[at + 1] !~ /^[0-9]/) refuse("has a dollar that davit cannot read")
    else if (!flushed) form = form "$"
  }

  # The key of another program is as good as none: what it keeps from being a command is refused here.
  function read_command() {
    if (is_dump && raw == "" && !flushed && $0 ~ /^\\restrict [A-Za-z0-9]+$/ && key == "" && !statements) key = substr($0, 11)
    else if (is_dump && raw == "" && !flushed && key != "" && $0 == "\\unrestrict " key) ended = 1
    else refuse_command()
    line_ends = 1
  }
  function refuse_command() { refuse("is a command of psql, or comes after the end") }

  function squeezed(s) {
    gsub(/[ \t\r\n\f\v]+/, " ", s)
    sub(/^ /, "", s); sub(/ $/, "", s)
    return toupper(s)
  }
  function check_foreign(s) {
    if (is_dump && part != "all" && ((s " ") ~ foreign || s ~ /^(CREATE|ALTER|DROP) USER / && s !~ / USER MAPPING /)) refuse("has what no dump of one database has: " substr(s, 1, 40))
  }
  function end_statement(   s, kind) {
    s = squeezed(form); kind = "own"; statements++
    if (!is_dump) { if (s != "") check_own(s) }
    else if (!flushed && s ~ /^COPY /) {
      if (s !~ ("^COPY " name "( ?[(][^()]*[)])? FROM STDIN$")) refuse("copies otherwise than from its next lines")
      copying = 1
    } else if (!flushed) kind = kind_of(s)
    if (kind != "none" && (kind == "own" || kind == "both" || part == "all")) { if (prints_own) printf "%s;", raw }
    else if (prints_own) printf "%s", newlines(raw)
    if (part == "rights" && kind ~ /rights|both/) print raw ";"
    raw = form = beginning = ""
    flushed = words = is_function = begins = parentheses = after_escapes = 0
    if (copying) check_rest()
  }
  # Rows begin with the next line.
  function check_rest(   i) {
    for (i = at + 1; i <= pieces; i++) if (i < pieces || piece[i] ~ /[^ \t\r]/) refuse("has more than a COPY")
    line_ends = 1
  }
  # Most statements are rows.
  function kind_of(s) {
    if (s !~ /^(ALTER|CALL|CHECKPOINT|COMMENT|COPY|CREATE|DISCARD|DO|DROP|EXECUTE|GRANT|IMPORT|LISTEN|LOAD|NOTIFY|PREPARE|REASSIGN|RESET|REVOKE|SELECT|SET|VACUUM)( |$)/) return "own"
    if (s ~ /^SELECT / && raw !~ /search_path|standard_conforming_strings|client_encoding/) return "own"
    if (s ~ /^(SET|SELECT|RESET) / && raw ~ /standard_conforming_strings/ && s !~ /^SET STANDARD_CONFORMING_STRINGS = ON$/) refuse("changes how texts are read")
    if (s ~ /^(SET|SELECT|RESET) / && raw ~ /client_encoding/ || s ~ /^SET NAMES /) {
      if (raw !~ /^SET client_encoding = \047(UTF8|SQL_ASCII|LATIN[0-9]+|WIN[0-9]+|ISO_8859_[0-9]+|KOI8[RU]|EUC_[A-Z0-9_]+|MULE_INTERNAL)\047$/) refuse("changes how texts are read")
      return "both"
    }
    if (checks_known && s ~ /^SET [A-Z0-9_]+ (=|TO) /) {
      word = tolower(s); sub(/^set /, "", word); sub(/ .*/, "", word)
      if (!(word in is_known) && word !~ /^(role|session_authorization)$/) {
        if (raw !~ /(=|TO) (\047?(0|false|off|heap|none|no)?\047?)$/) refuse("sets " word ", which this server does not have")
        return "none"
      }
    }
    if (part == "all") return "own"
    if (s ~ ("^SET SEARCH_PATH = (" name ")(, ?" name ")*$") || raw == "SELECT pg_catalog.set_config(\047search_path\047, \047\047, false)") return "both"
    if (s ~ owned || s ~ granted || s ~ by_default || s ~ ("^COMMENT ON EXTENSION " name " IS (" text "|NULL)$") ||
      s ~ ("^SET SESSION AUTHORIZATION (" name "|S)$") || s == "RESET SESSION AUTHORIZATION") return "rights"
    if (s ~ ("^COMMENT ON DATABASE " name " IS (" text "|NULL)$")) sub(/DATABASE ("([^"]|"")*"|[^ ]+)/, "DATABASE \"" ENVIRON["new"] "\"", raw)
    else check_foreign(s)
    if (s ~ /^(GRANT|REVOKE) / && s !~ / ON /) refuse("has what no dump of one database has: " substr(s, 1, 40))
    return "own"
  }
  function check_own(s) {
    if (part == "creation" && s ~ ("^CREATE DATABASE :D TEMPLATE TEMPLATE0 ENCODING " text " LC_COLLATE " text " LC_CTYPE " text locale)) return
    if (part == "settings") {
      if (s ~ ("^ALTER DATABASE :D OWNER TO " name "$") || s ~ /^ALTER DATABASE :D CONNECTION LIMIT -?[0-9]+$/ || s == "ALTER DATABASE :D IS_TEMPLATE TRUE" ||
        s ~ ("^COMMENT ON DATABASE :D IS " text "$") || s ~ ("^REVOKE ALL ON DATABASE :D FROM PUBLIC, " name "$") ||
        s ~ ("^GRANT [A-Z]+ ON DATABASE :D TO " name "( WITH GRANT OPTION)?$")) return
      if (s ~ setting) return
    }
    refuse("is not a statement that davit writes there")
  }
  function newlines(s) { gsub(/[^\n]/, "", s); return s }
  function refuse(why) {
    gsub(/[^ -~]/, "?", why)
    print "postgresql-database: line " NR " of \047" ENVIRON["file"] "\047 " why | "cat >&2"
    failed = 1
    exit 1
  }'

# Whether role r, as whom a program might run, can do more than use databases.
is_strong="EXISTS (SELECT 1 FROM pg_catalog.pg_roles s WHERE (s.rolsuper OR s.rolcreaterole
  OR s.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
  AND pg_catalog.pg_has_role(r.oid, s.oid, 'MEMBER'))"

# What is not of the snapshot: a digest of owners and permissions of all that belongs to the server or to an extension.
rights_of_server="SELECT md5(string_agg(rights, ' ' ORDER BY rights)) FROM (
  SELECT concat_ws(' ', 'pg_proc'::regclass::oid, oid, proowner, proacl) AS rights, 'pg_proc'::regclass AS class, oid AS object FROM pg_proc
  UNION ALL SELECT concat_ws(' ', 'pg_class'::regclass::oid, oid, relowner, relacl), 'pg_class'::regclass, oid FROM pg_class
  UNION ALL SELECT concat_ws(' ', 'pg_attribute'::regclass::oid, attrelid, attnum, attacl), 'pg_class'::regclass, attrelid FROM pg_attribute
    WHERE attacl IS NOT NULL
  UNION ALL SELECT concat_ws(' ', 'pg_type'::regclass::oid, oid, typowner, typacl), 'pg_type'::regclass, oid FROM pg_type
  UNION ALL SELECT concat_ws(' ', 'pg_operator'::regclass::oid, oid, oprowner), 'pg_operator'::regclass, oid FROM pg_operator
  UNION ALL SELECT concat_ws(' ', 'pg_collation'::regclass::oid, oid, collowner), 'pg_collation'::regclass, oid FROM pg_collation
  UNION ALL SELECT concat_ws(' ', 'pg_conversion'::regclass::oid, oid, conowner), 'pg_conversion'::regclass, oid FROM pg_conversion
  UNION ALL SELECT concat_ws(' ', 'pg_ts_config'::regclass::oid, oid, cfgowner), 'pg_ts_config'::regclass, oid FROM pg_ts_config
  UNION ALL SELECT concat_ws(' ', 'pg_ts_dict'::regclass::oid, oid, dictowner), 'pg_ts_dict'::regclass, oid FROM pg_ts_dict
  UNION ALL SELECT concat_ws(' ', 'pg_opclass'::regclass::oid, oid, opcowner), 'pg_opclass'::regclass, oid FROM pg_opclass
  UNION ALL SELECT concat_ws(' ', 'pg_opfamily'::regclass::oid, oid, opfowner), 'pg_opfamily'::regclass, oid FROM pg_opfamily
  UNION ALL SELECT concat_ws(' ', 'pg_language'::regclass::oid, oid, lanowner, lanacl), 'pg_language'::regclass, oid FROM pg_language
  UNION ALL SELECT concat_ws(' ', 'pg_namespace'::regclass::oid, oid, nspowner, nspacl), 'pg_namespace'::regclass, oid FROM pg_namespace
    WHERE nspname <> 'public'
  UNION ALL SELECT concat_ws(' ', 'pg_foreign_data_wrapper'::regclass::oid, oid, fdwowner, fdwacl), 'pg_foreign_data_wrapper'::regclass, oid
    FROM pg_foreign_data_wrapper
  UNION ALL SELECT concat_ws(' ', 'pg_foreign_server'::regclass::oid, oid, srvowner, srvacl), 'pg_foreign_server'::regclass, oid
    FROM pg_foreign_server) things
  WHERE object < 16384 OR EXISTS (SELECT 1 FROM pg_depend WHERE classid = class AND objid = object AND deptype = 'e')"

# Prints what of a snapshot would run, by itself or for somebody else, as a role that can do more than use databases: functions with the
# rights of their owner; expressions that the server calculates as the owner of a table, when it counts rows or follows a foreign key;
# views of what only a superuser may read. And whether the snapshot has changed rights on what is not its own.
problems="SELECT 'it changes permissions or owners of what belongs to the server or to an extension'
  WHERE current_setting('davit.rights') <> ($rights_of_server);
WITH strong AS (SELECT oid, rolname FROM pg_roles r WHERE $is_strong),
brought AS (SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE p.oid >= 16384 AND lanname NOT IN ('internal', 'c')
  AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')),
code AS (SELECT 'pg_proc'::regclass::oid AS class, oid AS object FROM brought
  UNION ALL SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprcode IN (SELECT oid FROM brought)
  UNION ALL SELECT 'pg_type'::regclass, contypid FROM pg_constraint WHERE contypid <> 0
  UNION ALL SELECT 'pg_type'::regclass, rngtypid FROM pg_range WHERE rngsubdiff IN (SELECT oid FROM brought)),
calling AS (SELECT DISTINCT classid, objid FROM pg_depend JOIN code ON refclassid = class AND refobjid = object),
tables AS (SELECT c.oid, c.relkind, rolname FROM pg_class c JOIN strong ON strong.oid = relowner),
columns AS (SELECT attrelid FROM pg_attribute JOIN code ON class = 'pg_type'::regclass AND object = atttypid
  JOIN pg_range ON rngtypid = atttypid),
following AS (SELECT DISTINCT conrelid FROM pg_constraint
  WHERE contype = 'f' AND (confdeltype IN ('c', 'n', 'd') OR confupdtype IN ('c', 'n', 'd'))),
closed AS (SELECT string_agg(oid::text, '|') AS list FROM pg_class
  WHERE oid < 16384 AND relkind IN ('r', 'v') AND NOT has_table_privilege('public', oid, 'SELECT'))
SELECT DISTINCT problem FROM (
  SELECT format('function %s runs with the rights of its owner, %I', p.oid::regprocedure, rolname) AS problem
    FROM pg_proc p JOIN brought ON brought.oid = p.oid JOIN strong ON strong.oid = proowner WHERE prosecdef
  UNION ALL SELECT format('an index of table %s, of %I, calls a function', t.oid::regclass, rolname) FROM tables t JOIN pg_index ON indrelid = t.oid
    JOIN calling ON classid = 'pg_class'::regclass AND objid = indexrelid
  UNION ALL SELECT format('statistics of table %s, of %I, call a function', t.oid::regclass, rolname) FROM tables t
    JOIN pg_statistic_ext s ON stxrelid = t.oid JOIN calling ON classid = 'pg_statistic_ext'::regclass AND objid = s.oid
  UNION ALL SELECT format('a range in table %s, of %I, calls a function', t.oid::regclass, rolname) FROM tables t JOIN columns ON attrelid = t.oid
  UNION ALL SELECT format('a foreign key changes table %s, of %I, which calls a function', t.oid::regclass, rolname)
    FROM tables t JOIN following ON conrelid = t.oid WHERE EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = t.oid)
      OR EXISTS (SELECT 1 FROM pg_trigger JOIN brought ON brought.oid = tgfoid WHERE tgrelid = t.oid AND NOT tgisinternal)
      OR EXISTS (SELECT 1 FROM pg_constraint k JOIN calling ON classid = 'pg_constraint'::regclass AND objid = k.oid WHERE k.conrelid = t.oid)
      OR EXISTS (SELECT 1 FROM pg_attrdef a JOIN calling ON classid = 'pg_attrdef'::regclass AND objid = a.oid WHERE adrelid = t.oid)
  UNION ALL SELECT format('view or rule %s, of %I, reads what only a superuser may read', t.oid::regclass, rolname)
    FROM tables t JOIN pg_rewrite ON ev_class = t.oid, closed WHERE t.oid >= 16384 AND ev_action::text ~ (':relid (' || list || ') ')
) found ORDER BY 1;"

# What is in a database, but not in its dump, or otherwise.
left_out="SELECT format('subscription %I is restored as disabled', subname) FROM pg_subscription JOIN pg_database d ON d.oid = subdbid
  WHERE datname = current_database();
SELECT format('replication slot %I is not in the snapshot', slot_name) FROM pg_replication_slots WHERE database = current_database();
SELECT format('prepared transaction %L is not in the snapshot', gid) FROM pg_prepared_xacts WHERE database = current_database();
SELECT format('the security label of the database by %I is not in the snapshot', provider) FROM pg_shseclabel
  JOIN pg_database d ON d.oid = objoid WHERE classoid = 'pg_database'::regclass AND datname = current_database();
SELECT format('options of the user mapping of %I for server %I are hidden from user %I, and not in the snapshot', usename, s.srvname, current_user)
  FROM pg_user_mappings m JOIN pg_foreign_server s ON s.oid = srvid WHERE umoptions IS NULL
  AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
  AND NOT (usename = current_user AND has_server_privilege(srvid, 'USAGE') OR umuser = 0 AND pg_has_role(srvowner, 'USAGE'));
SELECT format('index %s is invalid, and not in the snapshot', indexrelid::regclass) FROM pg_index
  JOIN pg_class c ON c.oid = indexrelid WHERE NOT indisvalid AND relkind = 'i';
SELECT format('rows of table %s, of extension %I, are not in the snapshot', c.oid::regclass, extname) FROM pg_class c
  JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e' JOIN pg_extension e ON e.oid = refobjid
  WHERE relkind = 'r' AND NOT c.oid = ANY (coalesce(extconfig, '{}')) AND pg_relation_size(c.oid) > 0;"

# What only a superuser can make, or change.
of_superuser="WITH of_extensions AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
SELECT format('only postgresqlTrustSnapshots=1, and a superuser, restore %s', what) FROM (
  SELECT 'pg_event_trigger'::regclass AS class, oid, format('event trigger %I', evtname) AS what FROM pg_event_trigger
  UNION ALL SELECT 'pg_proc'::regclass, p.oid, format('function %s in language %I', p.oid::regprocedure, lanname) FROM pg_proc p
    JOIN pg_language l ON l.oid = prolang WHERE NOT lanpltrusted AND lanname <> 'sql'
  UNION ALL SELECT 'pg_proc'::regclass, p.oid, format('leakproof function %s', p.oid::regprocedure) FROM pg_proc p WHERE proleakproof
  UNION ALL SELECT 'pg_type'::regclass, oid, format('type %s', oid::regtype) FROM pg_type WHERE typtype = 'b' AND typcategory <> 'A'
  UNION ALL SELECT 'pg_cast'::regclass, oid, format('the cast from %s to %s', castsource::regtype, casttarget::regtype) FROM pg_cast
    WHERE castmethod = 'b'
  UNION ALL SELECT 'pg_opclass'::regclass, oid, format('operator class %I', opcname) FROM pg_opclass
  UNION ALL SELECT 'pg_publication'::regclass, oid, format('publication %I, of all tables', pubname) FROM pg_publication WHERE puballtables
  UNION ALL SELECT 'pg_subscription'::regclass, s.oid, format('subscription %I', subname) FROM pg_subscription s
    JOIN pg_database d ON d.oid = subdbid WHERE datname = current_database()
  UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, oid, format('foreign-data wrapper %I', fdwname) FROM pg_foreign_data_wrapper
  UNION ALL SELECT 'pg_foreign_server'::regclass, oid, format('foreign server %I', srvname) FROM pg_foreign_server
  UNION ALL SELECT 'pg_language'::regclass, oid, format('language %I', lanname) FROM pg_language
  UNION ALL SELECT 'pg_am'::regclass, oid, format('access method %I', amname) FROM pg_am
  UNION ALL SELECT 'pg_transform'::regclass, oid, format('the transform for %s', trftype::regtype) FROM pg_transform
  UNION ALL SELECT 'pg_ts_parser'::regclass, oid, format('text search parser %I', prsname) FROM pg_ts_parser
  UNION ALL SELECT 'pg_ts_template'::regclass, oid, format('text search template %I', tmplname) FROM pg_ts_template
) found WHERE oid >= 16384 AND NOT EXISTS (SELECT 1 FROM of_extensions WHERE classid = class AND objid = oid) ORDER BY 1 LIMIT 50;
SELECT format('only postgresqlTrustSnapshots=1 restores permissions of %s, which belongs to the server or to an extension', what) FROM (
  SELECT 'pg_proc'::regclass AS class, oid, 0 AS column, proacl AS acl, oid::regprocedure::text AS what FROM pg_proc
  UNION ALL SELECT 'pg_class'::regclass, oid, 0, relacl, oid::regclass::text FROM pg_class WHERE relkind <> 'i'
  UNION ALL SELECT 'pg_class'::regclass, attrelid, attnum, attacl, attrelid::regclass || '.' || quote_ident(attname) FROM pg_attribute
    WHERE attacl IS NOT NULL
  UNION ALL SELECT 'pg_type'::regclass, oid, 0, typacl, oid::regtype::text FROM pg_type
  UNION ALL SELECT 'pg_language'::regclass, oid, 0, lanacl, quote_ident(lanname) FROM pg_language
  UNION ALL SELECT 'pg_namespace'::regclass, oid, 0, nspacl, quote_ident(nspname) FROM pg_namespace
    WHERE nspname <> 'public' AND nspname !~ '^pg_t'
) things LEFT JOIN pg_init_privs i ON classoid = class AND objoid = oid AND objsubid = things.column
WHERE (oid < 16384 OR EXISTS (SELECT 1 FROM pg_depend WHERE classid = class AND objid = oid AND deptype = 'e'))
  AND acl IS DISTINCT FROM initprivs AND what !~ '^[^.a-z]?information_schema' ORDER BY 1 LIMIT 20;"

# Reads what psql and pg_dump say. The server repeats statements and values in its messages: the first line of an error is shown, with its
# place, unless it is one of those that show what was given.
# shellcheck disable=SC2016
message_reader='
  BEGIN {
    shown = "^(08|0A|0L|0P|23|25|28|2B|3D|3F|40|42|53|54|55|57|58|F0)|^XX00[12]$"; hidden = "^(42601|42703|42P02)$"
    meaning["22021"] = meaning["22P05"] = "text that the encoding does not have"; meaning["22P02"] = "a value that its type does not have"
    meaning["22001"] = "a value that is too long"; meaning["22003"] = meaning["22008"] = "a value that is out of range"
    meaning["22P04"] = "a row that is not one of its table"; meaning["22023"] = "a value that a parameter cannot have"
    meaning["42601"] = "a syntax error"; meaning["42703"] = "a column that does not exist"; meaning["P0001"] = "raised by a function"
  }
  match($0, /^(psql:.*:[0-9]+: )?(ERROR|FATAL|PANIC):  [0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z]: /) && !error {
    place = substr($0, 1, RLENGTH - 7); code = substr($0, RLENGTH - 6, 5); error = substr($0, RLENGTH + 1); said = 1; next
  }
  /^LOCATION:  exec_stmt_(raise|assert),/ { if (error) code = "P0001" }
  /^pg_dump: (error|warning|hint): / || /^pg_dump: detail: Error message from server: / { print shortened($0); fflush(); next }
  /^pg_dump: / { next }
  !said && /^psql: error: / { print shortened($0); next }
  match($0, /^psql:.*:[0-9]+: error: /) {
    place = substr($0, 1, RLENGTH); $0 = substr($0, RLENGTH + 1); said = 1
    print shortened(place (match($0, /^(invalid command|connection to server was lost)/) ? substr($0, 1, RLENGTH) : "a command of psql fails"))
    next
  }
  /^(psql:.*:[0-9]+: )?[A-Z]+:  / { said = 1 }
  !said { print shortened($0) }
  END {
    if (!error) exit
    if (code ~ shown && code !~ hidden) print shortened(place error)
    else print shortened(place code (code in meaning ? ", " meaning[code] : "") ": the message may show content, and is left out")
  }
  function shortened(text) { gsub(/[^ -~\200-\377]/, "?", text); return substr(text, 1, 2000) }'
