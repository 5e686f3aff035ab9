# Builds a server that the module `process` starts, from $configuration, $port, $documentRoot and $upstreams.
mkdir -p "$out/etc/dysnomia/process"
cp "$configuration" "$out/nginx.conf"
printf '%s\n' "$upstreams" >"$out/upstreams.conf"
printf '%s;\n' "listen $port" "root $documentRoot" >"$out/server.conf"
cat >"$out/etc/dysnomia/process/nginx" <<END
process='PATH=\$PATH:/usr/sbin; exec nginx -e stderr -c "\$DAVIT_COMPONENT/nginx.conf"'
readyPort=$port
END
