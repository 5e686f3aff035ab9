# Builds the page from $page: a link to it in the document root, and a directory of photos beside it, which is state.
mkdir "$out"
cp "$page" "$out/index.html"
printf '%s\n' "symlink $out/index.html" 'target .' 'mkdir photos' >"$out/.dysnomia-fileset"
