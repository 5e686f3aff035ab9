# Two machines that are this one: `local` needs no SSH.
{
  back = {
    properties = { hostname = "localhost"; };
    clientInterface = "local";
    containers = { process = { dataDirectory = "/var/tmp/guestbook"; }; };
    numOfCores = 2;
  };
  front = {
    properties = { hostname = "localhost"; };
    clientInterface = "local";
    containers = { process = { }; };
    numOfCores = 2;
  };
}
