# A package that takes no time to build: it contains the addresses of its dependencies.
system: name: dependencies:

derivation {
  inherit name system;
  builder = "/bin/sh";
  args = [ "-c" "PATH=/usr/bin:/bin; mkdir -p $out/share && echo $hosts >$out/share/$name" ];
  hosts = map (dependency: dependency.target.properties.hostname) dependencies;
}
