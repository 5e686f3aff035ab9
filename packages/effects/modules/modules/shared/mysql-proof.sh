# What tells whether a dump of MySQL has been loaded, and what may be said about it. A module includes it after `mysql-dump`.

# quietly COMMAND...: what programs of the server print on standard error is shown without what is in the database, if they fail.
quietly() {
  { davit_said=$("$@" 2>&1 >&6 6>&-); } 6>&1 && return
  printf '%s\n' "$davit_said" | awk "$errors_reader" >&2
  return 1
}

# Messages with these numbers name nothing but databases, tables, columns, accounts and what a server has. Of others, which may repeat a value
# or a statement, only number, state and line are shown. Only the first error counts, since the rest may be text of a statement.
# shellcheck disable=SC2016
errors_reader='
  BEGIN {
    count = split("1005 1007 1008 1010 1018 1040 1041 1044 1045 1046 1049 1050 1051 1060 1061 1071 1075 1091 1113 1114 1115 1118 1129 1130 " \
      "1135 1136 1142 1143 1146 1153 1159 1161 1163 1170 1180 1193 1203 1205 1206 1213 1215 1226 1227 1251 1253 1267 1273 1286 1290 1298 1304 " \
      "1305 1317 1356 1359 1360 1364 1370 1396 1410 1418 1419 1435 1449 1524 1548 1698 1792 1820 1827 1969 3024 3098 3185 3750 4161", list, " ")
    for (i = 1; i <= count; i++) names_only[list[i]] = 1
    phrase[1048] = "a column that must have a value has none"
    phrase[1054] = "unknown column"
    phrase[1062] = phrase[1586] = "a value that must be unique is there twice"
    phrase[1064] = "syntax that the server does not know"
    phrase[1216] = phrase[1217] = phrase[1451] = phrase[1452] = "a foreign key has no counterpart"
    phrase[1264] = "a number is out of range"
    phrase[1265] = phrase[1292] = phrase[1366] = "a value does not fit its column"
    phrase[1406] = "a value is too long"
    phrase[1644] = "a trigger or a routine refuses"
    phrase[4025] = phrase[3819] = "a constraint fails"
  }
  match($0, /^ERROR [0-9]+( [(][0-9A-Z]+[)])?( at line [0-9]+)?/) { say(substr($0, 1, RLENGTH), substr($0, RLENGTH + 1), $2) }
  match($0, /^ERROR at line [0-9]+/) { show(substr($0, 1, RLENGTH)) }
  match($0, /^[A-Za-z0-9_.\/-]*(mariadb|mysql)[a-z-]*: /) {
    program = substr($0, 1, RLENGTH - 2); number = ""
    if (tolower($0) ~ /warning|deprecated/) next
    if (match($0, /[Ee]rror:? [0-9]+/)) { number = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", number) }
    else if (match($0, /[(][0-9]+[)]$/)) number = substr($0, RSTART + 1, RLENGTH - 2)
    if (number == "") show($0)
    say(program ": error " number, substr($0, length(program) + 1), number)
  }
  function say(head, rest, number) {
    if (number in names_only || number ~ /^2[0-9][0-9][0-9]$/) show(head rest)
    show(head (number in phrase ? ": " phrase[number] : ""))
  }
  function show(text) { gsub(/[^ -~]/, "?", text); print substr(text, 1, 500); exit }'

# describe_dump [brief]: prints what a dump of davit holds: the names of what it makes, and the rows of tables, however programs of different
# versions break lines; `brief` leaves the rows out.
describe_dump() {
  brief=${1-} awk '
    BEGIN { brief = ENVIRON["brief"] }
    in_rows { rows($0); next }
    match($0, /^INSERT INTO `([^`]|``)*` /) {
      name = substr($0, 13, RLENGTH - 13); rest = substr($0, RLENGTH + 1)
      if (name != last) { last = name; hidden = name == "`davit_unfinished`"; if (!hidden) print "rows of " name }
      sub(/^([(][^()]*[)] )?VALUES ?/, "", rest)
      in_rows = 1; rows(rest); next
    }
    /^DO SETVAL[(]/ { print; next }
    /^\/[*]!50001 CREATE / { next }
    (/^CREATE / || /^\/[*]!50/) && !/ DROP / && match($0, /(TABLE|SEQUENCE|VIEW|FUNCTION|PROCEDURE|TRIGGER|EVENT|PACKAGE|PACKAGE BODY) `([^`]|``)*`/) {
      made = substr($0, RSTART, RLENGTH)
      if (made != "TABLE `davit_unfinished`") print made
    }
    /^[)] ENGINE=/ && made != "TABLE `davit_unfinished`" { print $2 }
    function rows(text) {
      if (text ~ /;$/) in_rows = 0
      if (hidden || brief || text == "") return
      sub(/[,;]$/, "", text); gsub(/[)],[(]/, "),\n(", text)
      print text
    }'
}

# check_lengths LIMIT FILE: passes a dump on until a statement in it is longer than the server takes; then it fails, and FILE says which.
# What prints the dump may go on to its end.
check_lengths() {
  limit=$1 file=$2 awk '
    BEGIN { limit = ENVIRON["limit"] - 32; file = ENVIRON["file"] }
    /^INSERT INTO `/ { size = 0; match($0, /^INSERT INTO `([^`]|``)*` /); name = substr($0, 14, RLENGTH - 15) }
    { size += length($0) + 1 }
    size > limit && !failed { print size " " name >file; close(file); failed = 1 }
    /;$/ { size = 0 }
    !failed { print }
    END { exit failed }'
}

# set_aside DATABASE NAME: a dump of DATABASE for a database NAME beside it: what names the one names the other, and no event in it runs.
set_aside() {
  from="\`$(printf '%s\n' "$1" | sed 's/`/``/g')\`" to="\`$2\`" awk '
    BEGIN { from = tolower(ENVIRON["from"]) "."; to = ENVIRON["to"] "." }
    /^INSERT INTO `/ { in_rows = 1 }
    in_rows { if ($0 ~ /;$/) in_rows = 0; print; next }
    /^ALTER DATABASE `/ { sub(/^ALTER DATABASE `([^`]|``)*`/, "ALTER DATABASE") }
    /^(\/[*]!50106 )?CREATE.* EVENT / { sub(/ ENABLE( ON SLAVE)? (DO|COMMENT) /, " DISABLE&"); sub(/ DISABLE ENABLE( ON SLAVE)?/, " DISABLE") }
    {
      rest = $0; line = ""
      while (at = index(tolower(rest), from)) { line = line substr(rest, 1, at - 1) to; rest = substr(rest, at + length(from)) }
      print line rest
    }'
}
