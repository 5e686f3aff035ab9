# Reads dumps of MySQL whose author nobody knows. A module includes it after `database`.

# read_statements FILE [DATABASES]: reads a dump on standard input, and refuses, with the number of its line, commands of the client and
# statements that no dump of one database has. FILE is how it is called in messages. DATABASES are names of others, one per line, that
# must not be named either, where whoever loads the dump may use them.
read_statements() {
  file=$1 others=${2-} awk "$statements_reader"
}

# Comments that servers of some versions execute count as statements.
# shellcheck disable=SC2016
statements_reader='
  BEGIN {
    is_first = 1; delimiter = ";"
    count = split(tolower(ENVIRON["others"]), other, "\n")
    for (i = 1; i <= count; i++) if (other[i] != "") { foreign[other[i]] = 1; is_wide = 1 }
  }
  # Rows, which are most of a dump, hold no word that matters once their texts are gone.
  state == "" && /^(INSERT INTO `[^`]*`|[(])/ {
    rest = $0
    gsub(/\\./, "", rest); gsub(/\047[^\047]*\047/, "", rest)
    if (rest ~ /^(INSERT INTO `[^`]*` ([(][^();]*[)] )?VALUES *)?([(),0-9A-Fa-fx.+ -]|NULL|_binary|_utf8mb4|[eE])*;?$/) { is_first = rest ~ /;$/; next }
  }
  toupper($1) == "DELIMITER" && state == "" {
    if ($2 !~ /^;;?$/ || NF > 2) refuse("has a delimiter that no dump has")
    delimiter = $2; is_first = 1
    next
  }
  { read_line() }
  END { if (failed) exit 1; if (state != "") refuse("ends within a text, a name or a comment") }

  function read_line(   count, i) {
    count = split($0, piece, /[\047"`#\\;\/*-]/)
    if (count > 20000000) refuse("is too long")
    runs = split($0, run, /[^\047"`#\\;\/*-]+/); current = 1; offset = 0
    for (i = 1; i <= runs; i++) if (length(run[i]) > 20000) refuse("is too long")
    pieces = count; line_ends = escaped = 0; before = ""
    for (at = 1; at <= pieces && !line_ends; at++) {
      if (piece[at] != "") { escaped = 0; if (state == "") read_words(piece[at]); else if (state == "`") quoted = quoted piece[at] }
      if (at < pieces && !line_ends) { c = special(1); read_special(c, piece[at]); before = c }
    }
  }
  function special(forward,   r, o) {
    r = current; o = offset
    while (1) {
      if (o < length(run[r])) { if (forward) { current = r; offset = o + 1 } return substr(run[r], o + 1, 1) }
      r++; o = 0
    }
  }
  function is_next(c) { return at + 1 < pieces && piece[at + 1] == "" && special(0) == c }
  function skip() { special(1); at++ }

  function read_special(c, s) {
    if (state == "/*") { if (before == "*" && c == "/" && s == "") state = ""; return }
    if (state != "") {
      if (escaped) escaped = 0
      else if (c == "\\" && state != "`") escaped = 1
      else if (c == state) {
        if (is_next(c)) { skip(); quoted = quoted c }
        else { state = ""; if (c == "`") read_name(quoted) }
      } else quoted = quoted c
      return
    }
    if (c == "\\") refuse("is a command of the client")
    if (c == "#" || c == "-" && is_next("-") && starts_comment()) { line_ends = 1; return }
    if (c == "/" && is_next("*")) {
      skip()
      if (!sub(/^M?![0-9]*/, "", piece[at + 1])) state = "/*"
      c = ""
      return
    }
    if (c == "\047" || c == "\"" || c == "`") { state = c; quoted = ""; word = "" }
    if (c == ";" && (delimiter == ";" || is_next(";"))) is_first = 1
  }
  # Two hyphens begin a comment if a blank comes after them.
  function starts_comment(   i) { i = at + 2; return i >= pieces && piece[i] == "" || piece[i] ~ /^[ \t]/ }

  function read_words(s,   count, i, list) {
    count = split(toupper(s), list, /[^A-Z0-9_@.$\200-\377]+/)
    for (i = 1; i <= count; i++) if (list[i] != "") read_word(list[i])
    if (s ~ /[.]/ && s !~ /^[ \t]*[.]/) word = ""
    if (is_wide && name != "" && s ~ /^[ \t]*[.]/) check_name(name)
    name = ""
  }
  function read_name(s) { name = s; if (first == "USE") refuse("uses another database"); first = is_first = 0 }
  function check_name(s) { if (tolower(s) in foreign) refuse("names another database, \047" s "\047") }
  function read_word(w,   parts) {
    if (w ~ /^(OUTFILE|DUMPFILE|INFILE|LOAD_FILE|SONAME)$/) refuse("uses files or libraries of the server: " w)
    if (w ~ /^@@GLOBAL[.]|^@@PERSIST/ && w !~ /^@@GLOBAL[.]GTID_PURGED$/) refuse("sets what belongs to the server")
    if (is_first && w ~ /^(GRANT|REVOKE|INSTALL|UNINSTALL|SHUTDOWN|KILL|FLUSH|RESET|CHANGE|PURGE|LOAD|PREPARE|EXECUTE|CALL|HANDLER|STOP|BACKUP|IMPORT|CLONE|RESTART|RENAME|USE|SOURCE|SYSTEM|TEE|PAGER|DELIMITER)$/)
      refuse("has what no dump of one database has: " w)
    if (is_wide && w ~ /^(GRANT|REVOKE|PREPARE|EXECUTE|INSTALL|UNINSTALL|SHUTDOWN|NO_BACKSLASH_ESCAPES|ANSI_QUOTES)$/)
      refuse("has what only an account of the database may load: " w)
    if (previous == "SET" && w ~ /^(GLOBAL|PERSIST|PERSIST_ONLY|PASSWORD|ROLE|DEFAULT)$/) refuse("sets what belongs to the server")
    if (w ~ /^(USER|ROLE|SERVER|DATABASE|SCHEMA|TABLESPACE|LOGFILE|RESOURCE)$/ && previous ~ /^(CREATE|DROP|ALTER|RENAME|REPLACE)$/ && (previous w) !~ /^ALTER(DATABASE|SCHEMA)$/)
      refuse("has what no dump of one database has: " previous " " w)
    if (is_wide && w ~ /[.]/) { split(w, parts, "."); check_name(parts[1]) }
    previous = w; is_first = 0
  }
  function refuse(why) {
    gsub(/[^ -~]/, "?", why)
    print "mysql-database: line " NR " of \047" ENVIRON["file"] "\047 " why | "cat >&2"
    failed = 1
    exit 1
  }'

# without_definers: who has made a view, routine, trigger or event is who loads it. Names are in double quotes in some modes. What the server replicates is its own matter.
without_definers() {
  awk '
    /^SET @MYSQLDUMP_TEMP_LOG_BIN|^SET @@SESSION[.]SQL_LOG_BIN *=|^SET @@GLOBAL[.]GTID_PURGED *=/ { skipping = 1 }
    skipping { skipping = !/;[ \t]*$/; print ""; next }
    /^(\/\*!50[0-9][0-9][0-9] |CREATE )/ {
      while (match($0, /DEFINER=(`([^`]|``)*`@`([^`]|``)*`|"([^"]|"")*"@"([^"]|"")*")/)) $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
    }
    { print }'
}

# with_definer ACCOUNT OTHER: what was made by an account, and is named OTHER.
with_definer() {
  account=$1 other=$2 awk '
    BEGIN {
      old = "DEFINER=" ENVIRON["account"]; new = "DEFINER=" ENVIRON["other"]
      old_in_ansi = old; new_in_ansi = new; gsub(/`/, "\"", old_in_ansi); gsub(/`/, "\"", new_in_ansi)
    }
    /^(\/\*!50[0-9][0-9][0-9] |CREATE )/ {
      if (at = index($0, old)) $0 = substr($0, 1, at - 1) new substr($0, at + length(old))
      else if (at = index($0, old_in_ansi)) $0 = substr($0, 1, at - 1) new_in_ansi substr($0, at + length(old_in_ansi))
    }
    { print }'
}
