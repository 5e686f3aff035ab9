{ infrastructure }:
{
  entries = [ infrastructure.back ];
  api = [ infrastructure.back ];
  page = [ infrastructure.front ];
}
