# A package that refers to small files, and contains a big one.
{ system, files, megabytes }:

derivation {
  name = "bulk";
  inherit system;
  builder = "/bin/sh";
  args = [ "-c" "PATH=/usr/bin:/bin; mkdir $out && echo $files >$out/files && head -c ${toString megabytes}000000 /dev/urandom >$out/data" ];
  files = builtins.genList (number: builtins.toFile "small-${toString number}" "file ${toString number}\n") files;
}
