import ipaddr from 'ipaddr.js';

/**
 * Which addresses an outbound call may reach.
 * 'public': only what the whole internet can reach; for every address that a user gave (webhooks, image URLs).
 * 'operator': private networks and this machine too, for what an administrator set up (Ollama at home, a proxy, a mail
 * server); never where clouds keep their metadata service.
 */
export type AddressScope = 'public' | 'operator';

/** An address or a port that the scope forbids; thrown before any byte is sent. */
export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not allowed`);
    this.name = 'ForbiddenAddress';
  }
}

const operatorRanges = new Set(['unicast', 'private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/** Of IPv6, only this part has been given out to the internet. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv4 written as IPv6 in a form that no network carries any more (RFC 4291, 2.5.5.1). */
const compatibleIpv6 = ipaddr.IPv6.parseCIDR('::/96');
/** Resolvers write the compatible form so, and the parser takes it for the mapped one. */
const dottedIpv6 = /^(?!::ffff:\d)[\da-f:]*:[\d.]+\.\d+$/i;
const loopbackIpv6 = '::1';

/**
 * Where clouds tell a machine its credentials, beside the link-local addresses: AWS (with its DNS, time and pod
 * identities), Google, Oracle and Scaleway over IPv6; Alibaba; Azure's host; Oracle's older address.
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

/**
 * True when `address` (an IP literal) lies within the scope. IPv4 hidden in IPv6 is judged as what it is: mapped by its
 * IPv4, the tunnels (NAT64, 6to4, Teredo) and the compatible form refused.
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
