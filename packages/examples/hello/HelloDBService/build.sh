# Makes the web application and its description, which tells Tomcat where it is, and the application where its database is.
mkdir -p "$out/conf/Catalina"
cp -r "$src/webapp" "$out/webapp"
sed -e "s|@docBase@|$out/webapp|" -e "s|@place@|$place|" "$src/context.xml" >"$out/conf/Catalina/HelloDBService.xml"
