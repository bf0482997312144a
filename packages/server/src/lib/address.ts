import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses an outbound call may reach.
 * 'public': only what the whole internet can reach; for every address that a user gave (webhooks, image URLs).
 * 'operator': private networks and this machine too, for channels that an administrator set up (Ollama at home);
 * never link-local, where clouds keep their metadata service.
 */
export type AddressScope = 'public' | 'operator';

/** An address that the scope forbids; thrown before any byte is sent. */
export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not allowed`);
    this.name = 'ForbiddenAddress';
  }
}

const operatorRanges = new Set(['unicast', 'private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/**
 * True when `address` (an IP literal) lies within the scope. IPv4 hidden in IPv6 (mapped, NAT64, 6to4, Teredo)
 * is judged as what it is: mapped by its IPv4, the tunnels refused.
 */
export function isAllowed(address: string, scope: AddressScope): boolean {
  if (!ipaddr.isValid(address)) return false;
  const range = ipaddr.process(address).range();
  return scope === 'operator' ? operatorRanges.has(range) : range === 'unicast';
}

/** Throws ForbiddenAddress when the URL's host is an IP literal outside the scope; names are judged when they resolve. */
export function checkLiteral(url: URL, scope: AddressScope): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(host, scope)) throw new ForbiddenAddress(url.hostname);
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * A look-up for the socket connector: resolves once and hands on only addresses within the scope, so that the address
 * that was checked is the address that is connected to (no rebinding between check and use).
 */
export const guardedLookup = (scope: AddressScope): LookupFunction =>
  ((hostname, options, callback: LookupCallback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const allowed = addresses.filter((entry) => isAllowed(entry.address, scope));
      const first = allowed[0];
      if (!first) return callback(new ForbiddenAddress(hostname), []);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  }) as LookupFunction;
