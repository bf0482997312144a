import ipaddr from 'ipaddr.js';

/**
 * The addresses that an outbound call may reach. 'public': public addresses only; for every address given by a user
 * (webhooks, image URLs). 'operator': also private networks and this machine, for what an administrator set up (a
 * local Ollama, a proxy, a mail server); never the metadata services of clouds.
 */
export type AddressScope = 'public' | 'operator';

/** The scope forbids the address or port; thrown before any byte is sent. */
export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not allowed`);
    this.name = 'ForbiddenAddress';
  }
}

const operatorRanges = new Set(['unicast', 'private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/** Only this part of IPv6 is assigned to the internet. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv4 written as IPv6 in a form that is no longer used (RFC 4291, 2.5.5.1). */
const compatibleIpv6 = ipaddr.IPv6.parseCIDR('::/96');
/** Resolvers write the compatible form like this, and the parser takes it for the mapped one. */
const dottedIpv6 = /^(?!::ffff:\d)[\da-f:]*:[\d.]+\.\d+$/i;
const loopbackIpv6 = '::1';

/**
 * Metadata addresses of clouds besides the link-local ones: AWS (with DNS, time and pod identities), Google, Oracle
 * and Scaleway over IPv6; Alibaba; Azure's host; Oracle's former address.
 */
const metadata = [
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fd00:c1::/32',
  'fd00:42::/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
].map((range) => ipaddr.parseCIDR(range));

/** Names of the same services, which only machines of these clouds resolve: here perhaps nobody, but a proxy there. */
const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
]);

/** True for a name that clouds give to their metadata services. */
export const isMetadataName = (host: string): boolean =>
  metadataNames.has(host.toLowerCase().replace(/\.+$/, ''));

/**
 * True if `address` (an IP literal) is in the scope. IPv4 embedded in IPv6: the mapped form is checked as IPv4; the
 * tunnels (NAT64, 6to4, Teredo) and the compatible form are refused.
 */
export function isAllowed(address: string, scope: AddressScope): boolean {
  if (!ipaddr.isValid(address) || dottedIpv6.test(address)) return false;
  const parsed = ipaddr.process(address);
  if (metadata.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits)))
    return false;
  if (parsed instanceof ipaddr.IPv6) {
    if (parsed.match(compatibleIpv6) && parsed.toString() !== loopbackIpv6) return false;
    if (parsed.range() === 'unicast' && !parsed.match(publicIpv6)) return false;
  }
  return scope === 'operator' ? operatorRanges.has(parsed.range()) : parsed.range() === 'unicast';
}
