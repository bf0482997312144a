import { AppError } from '@tollgate/contract';
import ipaddr from 'ipaddr.js';
import { type CallContext, isLoopbackHost } from './context.ts';

/** The parts of a call that show how its password was sent. */
type Travelled = Pick<CallContext, 'isHttps' | 'origin' | 'ip'>;

/** Throws `insecure_transport` for a call whose password or cookie could be read in transit. */
export type TransportCheck = (call: Travelled) => void;

/** Kinds of addresses that are only reachable within the local network, including private overlays. */
const privateRanges = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

const isPrivateAddress = (text: string): boolean =>
  ipaddr.isValid(text) && privateRanges.has(ipaddr.process(text).range());

/** Top-level domains that public DNS does not have. */
const localName = /\.(?:local|localdomain|localhost|lan|home|internal|intranet|home\.arpa)$/;

/**
 * True for a host that only a local network has: a private address, a name without a dot, or one of these domains.
 */
function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return isPrivateAddress(name) || !/[.:]/.test(name) || localName.test(name);
}

/**
 * Passwords and sessions must be sent encrypted, or within one machine. With `allowPlainHttp` also within a local
 * network: the caller's address and the host it used must both be private, because behind a proxy on this machine
 * every address is private, and a program may send any host.
 */
export const createTransportCheck =
  (allowPlainHttp: boolean): TransportCheck =>
  ({ isHttps, origin, ip }) => {
    if (isHttps) return;
    // A caller may send any host, also none that is one.
    const url = URL.parse(origin);
    if (url && isLoopbackHost(url.host)) return;
    if (url && allowPlainHttp && isPrivateAddress(ip) && isPrivateHost(url.hostname)) return;
    throw new AppError('insecure_transport');
  };
