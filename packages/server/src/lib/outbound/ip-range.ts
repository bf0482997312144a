import ipaddr from 'ipaddr.js';

/** One address or a block of them, parsed once. */
interface Range {
  address: ipaddr.IPv4 | ipaddr.IPv6;
  bits: number;
}

/** A compiled list of addresses and CIDR blocks. */
export interface IpRanges {
  /** IPv4 written inside IPv6 counts as the IPv4 that it is. False for what is no address. */
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

/** Compiles addresses and CIDR blocks. Throws an Error that names the first one that is neither. */
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

/** Bits of an IPv6 address that its network decides; one host may use every address behind them. */
const networkBits = 64;

/** The name under which an address is counted: IPv4 as it is, IPv6 by its /64 network. Other text is its own name. */
export function addressKey(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString().split('%')[0]}/${networkBits}`).toString()}/${networkBits}`;
}

/** An address as a person writes it: IPv4 without the IPv6 wrapping that sockets report. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
