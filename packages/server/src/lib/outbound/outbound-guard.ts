import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressScope, ForbiddenAddress, isAllowed } from './address.ts';

/** Where a connection leads. `host` is a name or an IP literal without brackets. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** What node's `connect` needs to reach a place, and nothing that the scope forbids. */
export interface GuardedConnection extends HostAndPort {
  lookup: LookupFunction;
}

/** The one guard of all outgoing connections. Every socket is opened with options that it gives. */
export interface OutboundGuard {
  /** Throws ForbiddenAddress when the place is an IP literal outside the scope, or its port is not one of the scope's. */
  check(place: HostAndPort, scope: AddressScope): void;
  /**
   * Options for `connect` of node:net and node:tls. A name is resolved once, and only addresses within the scope are
   * handed on: what was judged is what is connected to. Throws as `check` does.
   */
  connection(place: HostAndPort, scope: AddressScope): GuardedConnection;
  /**
   * Judges a place that a proxy will connect to. A name that does not resolve here passes: to resolve it is the proxy's
   * affair, and often the reason why there is one. Rejects with ForbiddenAddress where any address is forbidden.
   */
  checkRemote(place: HostAndPort, scope: AddressScope): Promise<void>;
}

/** Resolves a name to all its addresses, as `dns.lookup` with `all` does. */
export type Resolve = (
  name: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface GuardOptions {
  /** Ports that users may name beside 80 and 443. */
  publicPorts?: readonly number[];
  resolve?: Resolve;
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** Host and port of an address; ports that it leaves out are those of its scheme. */
export function placeOf(url: URL): HostAndPort {
  const { protocol } = url;
  const usual = protocol === 'https:' || protocol === 'wss:' ? 443 : protocol.startsWith('socks') ? 1080 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || usual };
}

/** Makes the guard. */
export function createGuard({ publicPorts = [], resolve = dnsLookup }: GuardOptions = {}): OutboundGuard {
  const ports = new Set([80, 443, ...publicPorts]);

  const check = ({ host, port }: HostAndPort, scope: AddressScope): void => {
    const isForbidden = isIP(host) !== 0 && !isAllowed(host, scope);
    if (isForbidden || (scope === 'public' && !ports.has(port)))
      throw new ForbiddenAddress(`${host}:${port}`);
  };

  const lookup = (scope: AddressScope): LookupFunction =>
    ((hostname, options, callback: LookupCallback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, []);
        const allowed = addresses.filter((entry) => isAllowed(entry.address, scope));
        const first = allowed[0];
        if (!first) return callback(new ForbiddenAddress(hostname), []);
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    }) as LookupFunction;
  const lookups = { public: lookup('public'), operator: lookup('operator') };

  return {
    check,
    connection({ host, port }, scope) {
      check({ host, port }, scope);
      return { host, port, lookup: lookups[scope] };
    },
    async checkRemote(place, scope) {
      check(place, scope);
      if (isIP(place.host) !== 0) return;
      const addresses = await new Promise<LookupAddress[]>((done) => {
        resolve(place.host, { all: true }, (error, found) => done(error ? [] : found));
      });
      if (addresses.some(({ address }) => !isAllowed(address, scope))) throw new ForbiddenAddress(place.host);
    },
  };
}
