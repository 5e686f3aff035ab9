# Builds a web service that the module `process` starts, from $program, $query, $port, $client, $host and $database.
mkdir -p "$out/etc/dysnomia/process"
cp "$program" "$out/serve.py"
cp "$query" "$out/query.sql"
cat >"$out/etc/dysnomia/process/$database" <<END
process='exec python3 "\$DAVIT_COMPONENT/serve.py" $port $client $host $database'
readyPort=$port
END
