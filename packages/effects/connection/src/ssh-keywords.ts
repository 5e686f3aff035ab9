/** A keyword of the ssh configuration, and the hint where it asks for what we cannot do. */
export interface RefusedKeyword {
  readonly name: string
  readonly hint: string
}

/** Asks for a restriction, a way or a command that we cannot give: refused wherever it is not as OpenSSH has it by default. */
export const REFUSED: ReadonlyMap<string, RefusedKeyword> = new Map([
  ['bindinterface', { name: 'BindInterface', hint: 'name an address of that interface with BindAddress' }],
  ['checkhostip', { name: 'CheckHostIP', hint: 'say CheckHostIP no for this host' }],
  ['knownhostscommand', { name: 'KnownHostsCommand', hint: 'write what it prints into a file for UserKnownHostsFile' }],
  ['proxycommand', { name: 'ProxyCommand', hint: 'use ProxyJump in the ssh configuration of this host' }],
  [
    'refuseconnection',
    { name: 'RefuseConnection', hint: 'the ssh configuration says that this host is not to be used' },
  ],
  [
    'rekeylimit',
    { name: 'RekeyLimit', hint: 'say RekeyLimit default none for this host: only the server asks for new keys' },
  ],
  ['remotecommand', { name: 'RemoteCommand', hint: 'say RemoteCommand none for this host, as for any command' }],
  ['revokedhostkeys', { name: 'RevokedHostKeys', hint: 'mark such keys with @revoked in known_hosts' }],
  ['sessiontype', { name: 'SessionType', hint: 'say SessionType default for this host' }],
])

/** What every other keyword that `ssh -G` prints comes to. One that is in no list is refused as well. */
export const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  honoured: words(`addressfamily bindaddress certificatefile ciphers compression connectionattempts connecttimeout
    globalknownhostsfile hashknownhosts hostkeyalgorithms hostkeyalias hostname identitiesonly identityagent identityfile
    kexalgorithms macs pkcs11provider port preferredauthentications proxyjump pubkeyacceptedalgorithms pubkeyauthentication
    requiredrsasize serveralivecountmax serveraliveinterval setenv stricthostkeychecking user userknownhostsfile`),
  'ssh -G has done what it asks for': words(`canonicaldomains canonicalizefallbacklocal canonicalizehostname
    canonicalizemaxdots canonicalizepermittedcnames host ignoreunknown tag`),
  'we prove who we are by keys only, and are never asked': words(`addkeystoagent batchmode enablesshkeysign
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
  'links are our own, and watched by ourselves': words(
    'channeltimeout controlmaster controlpath controlpersist ipqos obscurekeystroketiming proxyusefdpass tcpkeepalive',
  ),
  'it is for people at a terminal': words(`enableescapecommandline escapechar fingerprinthash forkafterauthentication
    localcommand loglevel logverbose permitlocalcommand requesttty stdinnull syslogfacility versionaddendum visualhostkey
    warnweakcrypto`),
  'what a script finds there does not depend on who calls': words('sendenv'),
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(ACCEPTED).flat())

/** Why a keyword is refused where it is not as by default; nothing for what we understand, or need not to. */
export function refusalOfKeyword(keyword: string): RefusedKeyword | undefined {
  const name = keyword.toLowerCase()
  if (KNOWN.has(name)) return undefined
  return REFUSED.get(name) ?? { name: keyword, hint: 'this version of davit does not know it' }
}

function words(text: string): readonly string[] {
  return text.split(/\s+/)
}
