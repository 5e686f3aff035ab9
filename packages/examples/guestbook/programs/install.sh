# Builds a package that the module `process` starts, from $program, $port and $upstream.
mkdir -p "$out/etc/dysnomia/process"
cp "$program" "$out/server.mjs"
printf '{ "port": %s, "upstream": "%s" }\n' "$port" "${upstream:-}" >"$out/config.json"
cat >"$out/etc/dysnomia/process/server" <<END
process='exec "\${node:-node}" "\$DAVIT_COMPONENT/server.mjs"'
readyPort=$port
END
