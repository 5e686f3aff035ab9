/** A keyword of the ssh configuration that davit cannot honour, and what to do about it. */
export interface RefusedKeyword {
  readonly name: string
  readonly hint: string
}

/** Keywords for restrictions, routes or commands that davit cannot provide: refused unless they have OpenSSH's default. */
export const REFUSED: ReadonlyMap<string, RefusedKeyword> = new Map([
  ['bindinterface', { name: 'BindInterface', hint: 'name an address of that interface with BindAddress' }],
  ['checkhostip', { name: 'CheckHostIP', hint: 'set CheckHostIP no for this host' }],
  [
    'knownhostscommand',
    { name: 'KnownHostsCommand', hint: 'write its output to a file, and name that in UserKnownHostsFile' },
  ],
  ['proxycommand', { name: 'ProxyCommand', hint: 'use ProxyJump in the ssh configuration of this host' }],
  [
    'refuseconnection',
    { name: 'RefuseConnection', hint: 'remove it from the ssh configuration if this host may be used' },
  ],
  [
    'rekeylimit',
    { name: 'RekeyLimit', hint: 'set RekeyLimit default none for this host: only the server can start a rekey' },
  ],
  ['remotecommand', { name: 'RemoteCommand', hint: 'set RemoteCommand none for this host' }],
  ['revokedhostkeys', { name: 'RevokedHostKeys', hint: 'mark such keys with @revoked in known_hosts' }],
  ['sessiontype', { name: 'SessionType', hint: 'set SessionType default for this host' }],
])

/** All other keywords that `ssh -G` prints, by why they are accepted. A keyword in no list is refused. */
export const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  honoured: words(`addressfamily bindaddress certificatefile ciphers compression connectionattempts connecttimeout
    globalknownhostsfile hashknownhosts hostkeyalgorithms hostkeyalias hostname identitiesonly identityagent identityfile
    kexalgorithms macs pkcs11provider port preferredauthentications proxyjump pubkeyacceptedalgorithms pubkeyauthentication
    requiredrsasize serveralivecountmax serveraliveinterval setenv stricthostkeychecking user userknownhostsfile`),
  'ssh -G has applied it already': words(`canonicaldomains canonicalizefallbacklocal canonicalizehostname
    canonicalizemaxdots canonicalizepermittedcnames host ignoreunknown tag`),
  'davit authenticates with keys only, and never prompts': words(`addkeystoagent batchmode enablesshkeysign
    gssapiauthentication gssapiclientidentity gssapidelegatecredentials gssapikexalgorithms gssapikeyexchange
    gssapirenewalforcesrekey gssapiserveridentity gssapitrustdns hostbasedacceptedalgorithms hostbasedauthentication
    kbdinteractiveauthentication kbdinteractivedevices numberofpasswordprompts passwordauthentication
    challengeresponseauthentication`),
  'certificates and hardware keys are not supported': words('casignaturealgorithms securitykeyprovider'),
  'it only makes ssh trust more, or remember more': words(
    'nohostauthenticationforlocalhost updatehostkeys verifyhostkeydns',
  ),
  'nothing is forwarded': words(`clearallforwardings dynamicforward exitonforwardfailure forwardagent forwardx11
    forwardx11timeout forwardx11trusted gatewayports localforward permitremoteopen remoteforward streamlocalbindmask
    streamlocalbindunlink tunnel tunneldevice xauthlocation`),
  'davit makes and watches its own links': words(
    'channeltimeout controlmaster controlpath controlpersist ipqos obscurekeystroketiming proxyusefdpass tcpkeepalive',
  ),
  'it is for interactive use': words(`enableescapecommandline escapechar fingerprinthash forkafterauthentication
    localcommand loglevel logverbose permitlocalcommand requesttty stdinnull syslogfacility versionaddendum visualhostkey
    warnweakcrypto`),
  'the environment of a script does not depend on the caller': words('sendenv'),
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(ACCEPTED).flat())

/** Returns why a keyword is refused if it is not at its default; nothing for an accepted keyword. */
export function refusalOfKeyword(keyword: string): RefusedKeyword | undefined {
  const name = keyword.toLowerCase()
  if (KNOWN.has(name)) return undefined
  return REFUSED.get(name) ?? { name: keyword, hint: 'remove it for this host; this version of davit does not know it' }
}

function words(text: string): readonly string[] {
  return text.split(/\s+/)
}
