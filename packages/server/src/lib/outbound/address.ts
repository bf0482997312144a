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
/** Resolvers write the compatible form in this way, and the parser reads it as the mapped one. */
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

/** Host names of the same services, which only machines of these clouds resolve: possibly a proxy there instead of this machine. */
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

/** One address or a block of them, parsed once. */
interface Range {
  address: ipaddr.IPv4 | ipaddr.IPv6;
  bits: number;
}

/** A compiled list of addresses and CIDR blocks. */
export interface IpRanges {
  /** IPv4 embedded in IPv6 counts as that IPv4 address. False for an invalid address. */
  contains(address: string): boolean;
}

function parseRange(text: string): Range {
  try {
    if (!text.includes('/')) {
      const address = ipaddr.process(text);
      return { address, bits: address.kind() === 'ipv4' ? 32 : 128 };
    }
    const [address, bits] = ipaddr.parseCIDR(text);
    return { address, bits };
  } catch (cause) {
    throw new Error(`not an address or CIDR block: ${text}`, { cause });
  }
}

/** Compiles addresses and CIDR blocks. Throws an Error that names the first invalid one. */
export function parseIpRanges(entries: readonly string[]): IpRanges {
  const ranges = entries.map(parseRange);
  return {
    contains(text) {
      if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text);
      return ranges.some(
        (range) => range.address.kind() === address.kind() && address.match(range.address, range.bits),
      );
    },
  };
}

/** Network bits of an IPv6 address; one host may use every address of its network. */
const networkBits = 64;

/** The name under which an address is counted: IPv4 unchanged, IPv6 by its /64 network, any other text unchanged. */
export function addressKey(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString().split('%')[0]}/${networkBits}`).toString()}/${networkBits}`;
}

/** An address in its usual form: IPv4 without the IPv6 prefix that sockets report. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
