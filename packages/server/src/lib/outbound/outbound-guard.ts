import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressScope, ForbiddenAddress, isAllowed, isMetadataName } from './address.ts';

/** The destination of a connection. `host` is a name or an IP literal without brackets. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** The options of node's `connect` for a destination, restricted to the scope. */
interface GuardedConnection extends HostAndPort {
  lookup: LookupFunction;
}

/** The one guard of all outgoing connections. Every socket is opened with its options. */
export interface OutboundGuard {
  /**
   * Throws ForbiddenAddress if the destination is an IP literal outside the scope or a metadata service's name, or its
   * port is not in the scope.
   */
  check(place: HostAndPort, scope: AddressScope): void;
  /**
   * Options for `connect` of node:net and node:tls. A name is resolved once, and only addresses in the scope are
   * used: the checked address is the one connected to. Throws as `check` does.
   */
  connection(place: HostAndPort, scope: AddressScope): GuardedConnection;
  /**
   * Checks a destination that a proxy will connect to. A name that does not resolve here passes: resolving it is the
   * task of the proxy, and often the reason for having one. Rejects with ForbiddenAddress if any address is
   * forbidden.
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

/** Host and port of an address; without a port, that of its scheme. */
export function placeOf(url: URL): HostAndPort {
  const { protocol } = url;
  const usual = protocol === 'https:' || protocol === 'wss:' ? 443 : protocol.startsWith('socks') ? 1080 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || usual };
}

/** Creates the guard. */
export function createGuard({ publicPorts = [], resolve = dnsLookup }: GuardOptions = {}): OutboundGuard {
  const ports = new Set([80, 443, ...publicPorts]);

  const check = ({ host, port }: HostAndPort, scope: AddressScope): void => {
    const isForbidden = isIP(host) === 0 ? isMetadataName(host) : !isAllowed(host, scope);
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
