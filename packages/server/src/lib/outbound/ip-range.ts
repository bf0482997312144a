import ipaddr from 'ipaddr.js';

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
